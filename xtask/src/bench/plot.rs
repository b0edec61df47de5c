//! A series as a picture: points, the line between them, and the axes.

use std::fmt::Write as _;

use super::growth::Series;
use super::rows::grouped;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 48.0;
const STEPS: u32 = 4;

/// Its own ground, so that the picture can be read on a light page and on a dark one.
const STYLE: &str = "<style>rect{fill:#fff}text{fill:#333}path{stroke:#ccc}polyline{fill:none;stroke:#1f5fa8;stroke-width:1.5}\
                     circle{fill:#1f5fa8}@media(prefers-color-scheme:dark){rect{fill:#15181c}text{fill:#ccc}path{stroke:#444}\
                     polyline{stroke:#7fb0ea}circle{fill:#7fb0ea}}</style>";

/// The picture as SVG. Both axes start at nothing, so that a straight line through the corner is what proportion looks
/// like.
pub(super) fn svg(series: &Series) -> String {
    let most = |of: fn(&(f64, f64)) -> f64| series.points.iter().map(of).fold(1e-9, f64::max);
    let (most_x, most_y) = (most(|point| point.0), most(|point| point.1) * 1.05);
    let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let place = |x: f64, y: f64| (LEFT + x / most_x * width, TOP + height - y / most_y * height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<title>{} by {}</title>\n{STYLE}\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n",
        series.unit, series.of
    );
    // Writing to a `String` does not fail.
    for step in 0..=STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        let (x, y) = place(share * most_x, share * most_y);
        let (floor, label) = (TOP + height, TOP + height + 16.0);
        let _infallible = writeln!(
            text,
            "<path d=\"M{LEFT} {y:.1}H{:.1}M{x:.1} {floor:.1}v4\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n\
             <text x=\"{x:.1}\" y=\"{label:.1}\" text-anchor=\"middle\">{}</text>",
            LEFT + width,
            LEFT - 6.0,
            y + 4.0,
            grouped(share * most_y),
            grouped(share * most_x),
        );
    }
    let points: Vec<String> = series
        .points
        .iter()
        .map(|(x, y)| place(*x, *y))
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _infallible = writeln!(text, "<polyline points=\"{}\"/>", points.join(" "));
    for (x, y) in series.points.iter().map(|(x, y)| place(*x, *y)) {
        let _infallible = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
    }
    let _infallible = writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n<text x=\"{LEFT}\" y=\"14\">{}</text>\n</svg>",
        LEFT + width / 2.0,
        HEIGHT - 10.0,
        series.of,
        series.unit,
    );
    text
}

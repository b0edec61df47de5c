(() => {
  const faults = [];
  const check = (holds, fault) => { if (!holds) faults.push(fault); };
  check(document.title === "MCP servers", `the title is ${document.title}`);
  const active = "script, img, iframe, object, embed, link, form, svg, video, audio, base, input, button";
  check(document.querySelectorAll(active).length === 0, "there is an element that can run or load something");
  for (const element of document.querySelectorAll("*")) {
    for (const { name } of element.attributes) check(!/^on|^style$/.test(name), `there is an attribute ${name}`);
  }
  check(!document.body.dataset.ran, "a script was run");
  // Not `innerWidth`: on a phone it grows with what is too wide.
  const width = document.documentElement.scrollWidth;
  check(width <= WIDTH, `${width} pixels are wider than WIDTH`);
  const rules = [...document.styleSheets].reduce((sum, sheet) => sum + sheet.cssRules.length, 0);
  check(rules > 20, "no style sheet counts");
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((channels(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (rules > 20) check((light(ground(document.body)) < 0.2) === dark, "the page does not follow the colour scheme");
  const pale = new Set();
  for (const element of document.body.querySelectorAll("*")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const pair = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) pale.add(`a contrast of ${contrast.toFixed(2)} in ${element.tagName} ${element.className}`);
  }
  return [...faults, ...pale];
})()

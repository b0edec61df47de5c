//! Where the time of an operation goes: every nanosecond of it has one place.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_policy::port::{Clock, Moment, Timer};
use mcp_policy::{Client, Ports, Timing};
use mcp_testkit::FakeClock;
use mcp_wire::{
    Answer, BodyEnd, ClientInfo, Delivery, Exchange, ExchangeEvent, Expectation, Framing, Message, Method,
    ReplyDecoder, ReplyLimits, Stage, Target, Transport,
};

use crate::support::{Task, well};
use crate::world::{Answers, World};

/// One stage of an exchange: how long it waits there, then how long the poll works that ends the wait.
type Step = (Stage, u64, u64);

/// The exchange of `initialize`: every stage takes a time of its own.
const THROUGH_ALL_STAGES: &[Step] = &[
    (Stage::Queue, 1, 0),
    (Stage::Resolve, 2, 0),
    (Stage::Connect, 4, 0),
    (Stage::Tls, 8, 32),
    (Stage::Credential, 16, 0),
    (Stage::Send, 64, 0),
    (Stage::FirstByte, 128, 0),
    (Stage::Body, 256, 512),
    (Stage::Body, 1_024, 2_048),
];

const ON_A_WARM_CONNECTION: &[Step] = &[(Stage::FirstByte, 4_096, 0), (Stage::Body, 0, 8_192)];

/// A transport whose exchanges take the time of their steps, and whose server behaves.
struct Staged(FakeClock);

impl Transport for Staged {
    fn open(&self, _target: &Arc<Target>, message: Message) -> Box<dyn Exchange> {
        let steps = if message.leg().method == Method::Initialize {
            THROUGH_ALL_STAGES
        } else {
            ON_A_WARM_CONNECTION
        };
        Box::new(StagedExchange {
            clock: self.0.clone(),
            steps,
            message,
            timer: None,
            stage: Stage::Start,
        })
    }
}

struct StagedExchange {
    clock: FakeClock,
    steps: &'static [Step],
    message: Message,
    timer: Option<Box<dyn Timer>>,
    stage: Stage,
}

impl Exchange for StagedExchange {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<ExchangeEvent> {
        while let [(stage, waits, works), later @ ..] = self.steps {
            self.stage = *stage;
            let timer = self.timer.get_or_insert_with(|| {
                let mut timer = self.clock.timer();
                timer.arm(self.clock.now() + Duration::from_millis(*waits));
                timer
            });
            if timer.poll_fired(cx).is_pending() {
                return Poll::Pending;
            }
            self.clock.advance(Duration::from_millis(*works));
            (self.timer, self.steps) = (None, later);
        }
        Poll::Ready(ExchangeEvent::Done(Ok(answer(&self.message))))
    }

    fn stage(&self) -> Stage {
        self.stage
    }

    fn delivery(&self) -> Delivery {
        Delivery::Answered
    }
}

fn answer(message: &Message) -> Answer {
    let (mcp_testkit::MemoryAnswer::Json(body), Expectation::Response(id)) =
        (well(message), message.leg().expectation)
    else {
        return Answer::Accepted;
    };
    let mut decoder = ReplyDecoder::new(id, Framing::Json, ReplyLimits::default());
    assert!(decoder.push(&mut &body[..]).unwrap().is_none());
    Answer::Reply {
        reply: decoder.finish(BodyEnd::Complete).unwrap(),
        session: None,
        http_status: None,
    }
}

/// A client over staged exchanges; its other ports are those of a world that behaves.
fn staged(clock: &FakeClock) -> (World, Client) {
    let world = World::at(clock.clone(), Answers::default(), well);
    let ports = Ports {
        transport: Arc::new(Staged(clock.clone())),
        ..world.ports()
    };
    let info = ClientInfo {
        name: "host".to_owned(),
        version: "1".to_owned(),
    };
    (world, Client::new(info, ports).unwrap())
}

/// Runs an operation to its end, a millisecond at a time.
fn through_time<T>(clock: &FakeClock, mut operation: Task<'_, T>) -> T {
    loop {
        if let Poll::Ready(end) = operation.run() {
            return end;
        }
        clock.advance(Duration::from_millis(1));
    }
}

/// The split in milliseconds: policy, queue, connect, first byte, body, decode.
fn split(timing: Timing) -> [u128; 6] {
    [
        timing.policy(),
        timing.queue(),
        timing.connect(),
        timing.first_byte(),
        timing.body(),
        timing.decode(),
    ]
    .map(|length| length.as_millis())
}

#[test]
fn the_legs_of_an_operation_are_added_up_by_what_they_waited_for() {
    let clock = FakeClock::new();
    let (world, client) = staged(&clock);
    let started = clock.now();
    let pong = through_time(&clock, Task::new(client.ping(&world.server))).unwrap();
    let elapsed = clock.now().since(started);
    assert_eq!(pong.timing.total(), elapsed);
    // The work at the end of the TLS handshake is a part of it.
    let (connect, first_byte) = (2 + 4 + 8 + 32, 16 + 64 + 128 + 4_096);
    let (body, decode) = (256 + 1_024, 512 + 2_048 + 8_192);
    assert_eq!(split(pong.timing), [0, 1, connect, first_byte, body, decode]);
    assert_eq!(pong.timing.at(Stage::Tls), Duration::from_millis(8 + 32));
    let latency = Duration::from_millis(1 + 46 + 16 + 64 + 128 + 256 + 1_024 + 512 + 2_048);
    assert_eq!(pong.latency, latency);
}

#[test]
fn a_failure_says_where_its_time_went() {
    let clock = FakeClock::new();
    let (mut world, client) = staged(&clock);
    let budget = Duration::from_millis(10);
    world.server.budget = mcp_policy::Budget::new(budget).unwrap();
    let failure = through_time(&clock, Task::new(client.ping(&world.server))).unwrap_err();
    assert_eq!(failure.kind(), "deadline-exceeded");
    assert_eq!(split(failure.timing()), [0, 1, 2 + 4 + 3, 0, 0, 0]);
    assert_eq!(failure.timing().total(), budget);
}

#[test]
fn what_is_no_leg_counts_as_policy() {
    let clock = FakeClock::new();
    let answers = Answers {
        gate: None,
        ..Answers::default()
    };
    let world = World::at(clock.clone(), answers, well);
    let call = world.call(&mcp_policy::port::Never);
    let failure = through_time(&clock, call).unwrap_err();
    let budget = world.server.budget.get();
    assert_eq!(split(failure.timing()), [budget.as_millis(), 0, 0, 0, 0, 0]);
    assert_eq!(clock.now().since(Moment::default()), budget);
}

#[test]
fn an_account_is_kept_part_by_part() {
    let parts = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
    let timing = Timing::from_parts(parts);
    assert_eq!(timing.parts(), parts);
    assert_eq!(Timing::default().parts(), [0; Timing::PARTS]);
    let told = [
        timing.policy(),
        timing.queue(),
        timing.connect(),
        timing.first_byte(),
        timing.body(),
        timing.decode(),
        timing.total(),
    ];
    let expected = [1, 2, 4 + 8 + 16, 32 + 64 + 128, 256, 512, 1_023];
    assert_eq!(told, expected.map(Duration::from_nanos));
}

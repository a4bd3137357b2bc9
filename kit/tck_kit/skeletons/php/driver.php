#!/usr/bin/env php
<?php
// A driver: it puts your engine behind the protocol of session-tck, one JSON object a line on stdin and stdout.
//
// As it stands it supports nothing, and session-tck says so of every requirement. It becomes yours step by step:
// fill in a method of the first half, name in SUPPORTED what now works, run `session-tck driver check`. What each
// method is given and answers is described in docs/driver-protocol.md of session-tck, under the name of the method.
//
// It needs PHP 8.1 or newer on the command line, and no package. Objects of JSON are objects here, never arrays
// with keys: write `(object) ['key' => $value]`, so that an empty one stays an object.

declare(strict_types=1);

// ------------------------------------------------------------------------------------------------ your engine

// Who drives, and what is driven. The versions are releases or commits, never the name of a branch.
const DRIVER = ['name' => 'my-driver', 'version' => '0.1.0'];
const IMPLEMENTATION = ['name' => 'my-engine', 'version' => '0.1.0', 'language' => 'php'];

// "virtual" where the engine takes its time from clock/advance, "wall" where it looks at the machine's clock.
const CLOCK = 'wall';

// What works, such as 'sessions', 'adapter.codex', 'view.sessions', 'stimulus.run.due', 'control.kill'.
// Whatever is named here is used; docs/driver-protocol.md, "Capabilities", lists all the names.
const SUPPORTED = [];

// Says who answers, and which of the capabilities asked are supported.
function initialize(object $params): object
{
    if ($params->protocol !== 1) {
        throw new Fault(PARAMS_DO_NOT_FIT, "this driver speaks protocol 1, not $params->protocol");
    }
    // $params->directory is a folder for this process alone: the place for a database or a log of the engine.
    $capabilities = [];
    foreach ($params->capabilities as $name) {
        $capabilities[$name] = in_array($name, SUPPORTED, true) ? 'supported' : 'unsupported';
    }
    return (object) [
        'protocol' => 1,
        'driver' => DRIVER,
        'implementation' => IMPLEMENTATION,
        'capabilities' => (object) $capabilities,
        'clock' => CLOCK,
    ];
}

// Begins a scenario with an empty engine.
function open_scenario(object $params): object
{
    // Start the engine with $params->config: its projects, bindings, settings, mounts and images. Keep its state
    // under config->base, put endpoints->path first on its PATH, and let its tracker and model clients talk to
    // endpoints->forge and endpoints->model. Then: return (object) ['refused' => null], or the engine's own text
    // where it refuses this configuration. docs/driver-protocol.md, "scenario/open".
    throw unsupported('sessions');
}

// Lets something happen to the engine.
function send_stimulus(object $params): object
{
    // Hand $params->payload to the engine in the way in which it learns of $params->type in real life: a webhook,
    // an API call, a row in its database. Then: return (object) ['run' => id of the run or null, 'outcome' => null,
    // 'error' => null]. docs/driver-protocol.md, "stimulus/send", and the table of types and payloads in "Stimuli".
    throw unsupported("stimulus.$params->type");
}

// Lets time pass.
function advance_clock(object $params): object
{
    // Set the clock of the engine to $params->now, $params->ms milliseconds later than it was, and let every
    // deadline up to there take effect, in order. Then: return (object) ['now' => $params->now].
    // docs/driver-protocol.md, "clock/advance".
    throw unsupported('control.clock');
}

// Gives what the engine has under way.
function under_way(): array
{
    // One ['what' => text, 'waits_for' => 'container', 'clock', 'run' or 'work'] for each thing that is not done,
    // with 'container' => its name where it waits for one. docs/driver-protocol.md, "barrier/quiesce".
    return [];
}

// Answers as soon as the engine is at rest, or when the deadline has passed.
function quiesce(object $params): object
{
    $deadline = microtime(true) + $params->deadline_ms / 1000;
    $pending = under_way();
    while (in_array('work', array_column($pending, 'waits_for'), true)) {
        if (microtime(true) >= $deadline || Wire::cancelled()) {
            break;
        }
        usleep(10_000);
        $pending = under_way();
    }
    // Add 'next_deadline' where the engine has something to do by itself at a later time.
    return (object) ['idle' => $pending === [], 'pending' => $pending];
}

// Gives the rows of a view.
function query_state(object $params): object
{
    // Read the rows of $params->view from the engine's own bookkeeping, null where a column is not known. Then:
    // return (object) ['rows' => [...]]. docs/driver-protocol.md, "state/query", and the columns of each view in
    // "Views".
    throw unsupported("view.$params->view");
}

// Overwrites the native id that the engine has stored for a run.
function overwrite_state(object $params): object
{
    // Write $params->native_session_id where the engine keeps it for $params->run, past the engine's own checks. Then:
    // return (object) []. The kit does it itself where it can reach the database. docs/driver-protocol.md,
    // "state/overwrite".
    throw unsupported('control.overwrite');
}

// Ends the engine without warning, as a power cut would.
function kill_engine(object $params): object
{
    // SIGKILL the engine's own processes; containers, database and folders stay as they are. Then: return (object)
    // []. docs/driver-protocol.md, "engine/kill".
    throw unsupported('control.kill');
}

// Starts the engine again on what is there.
function start_engine(object $params): object
{
    // As in open_scenario, but on the state that the killed engine left. Then: return (object) ['refused' => null].
    // docs/driver-protocol.md, "engine/start".
    throw unsupported('control.kill');
}

// Ends the scenario.
function close_scenario(object $params): object
{
    // End the engine of this scenario, and name in leaks the runs that were still under way.
    // docs/driver-protocol.md, "scenario/close".
    return (object) ['leaks' => []];
}

// Puts away what is left when the driver ends, after shutdown or at the end of standard input.
function leave(): void
{
    // End the engine and every process that this driver started; none may outlive it.
}

// Gets ready to end; the process ends as soon as this is answered.
function shutdown(object $params): object
{
    return (object) [];
}

// --------------------------------------------------------------------------- the wire: nothing to fill in below

const NOT_JSON = -32700;
const NO_REQUEST = -32600;
const UNKNOWN_METHOD = -32601;
const PARAMS_DO_NOT_FIT = -32602;
const INTERNAL = -32603;
const UNSUPPORTED = -32001;
const ENGINE_FAILED = -32002;
const CANCELLED = -32800;

// The bytes of a line, both ways.
const LIMIT = 1_048_576;

const METHODS = [
    'initialize' => [
        'initialize',
        [
            'protocol' => 'integer',
            'kit' => 'object',
            'spec' => 'object',
            'capabilities' => 'texts',
            'directory' => 'text',
        ],
    ],
    'scenario/open' => [
        'open_scenario',
        ['ref' => 'text', 'seed' => 'integer', 'workdir' => 'text', 'endpoints' => 'object', 'config' => 'object'],
    ],
    'stimulus/send' => ['send_stimulus', ['type' => 'text', 'payload' => 'object']],
    'clock/advance' => ['advance_clock', ['ms' => 'integer', 'now' => 'text']],
    'barrier/quiesce' => ['quiesce', ['deadline_ms' => 'integer']],
    'state/query' => ['query_state', ['view' => 'text']],
    'state/overwrite' => ['overwrite_state', ['run' => 'text', 'native_session_id' => 'text']],
    'engine/kill' => ['kill_engine', []],
    'engine/start' => ['start_engine', []],
    'scenario/close' => ['close_scenario', []],
    'shutdown' => ['shutdown', []],
];

// An error that the kit is told; throw new Fault(ENGINE_FAILED, $text) where the engine crashed, hung or broke off.
final class Fault extends Exception
{
    public function __construct(int $code, string $message, private ?object $data = null)
    {
        parent::__construct($message, $code);
    }

    public function error(): array
    {
        $error = ['code' => $this->getCode(), 'message' => $this->getMessage()];
        return $this->data === null ? $error : [...$error, 'data' => $this->data];
    }
}

function unsupported(string $capability): Fault
{
    return new Fault(UNSUPPORTED, "$capability is unsupported", (object) ['capability' => $capability]);
}

// Standard input as lines, and what has been read ahead of them to find a $/cancel.
final class Wire
{
    public static ?string $current = null;
    private static string $begun = '';
    private static array $waiting = [];
    private static bool $ended = false;

    // Says whether the kit has given up the request that is being worked on. Ask this wherever you wait.
    public static function cancelled(): bool
    {
        while (!self::$ended) {
            $readable = [STDIN];
            $none = null;
            if (!stream_select($readable, $none, $none, 0)) {
                break;
            }
            self::read();
        }
        foreach (self::$waiting as $line) {
            $message = json_decode($line);
            if (($message->method ?? null) === '$/cancel' && ($message->params->id ?? null) === self::$current) {
                return true;
            }
        }
        return self::$ended;
    }

    // Gives the next line, or null at the end of the input.
    public static function next(): ?string
    {
        while (self::$waiting === [] && !self::$ended) {
            self::read();
        }
        return array_shift(self::$waiting);
    }

    private static function read(): void
    {
        $piece = fread(STDIN, 65_536);
        self::$ended = $piece === false || ($piece === '' && feof(STDIN));
        foreach (explode("\n", (string) $piece) as $index => $part) {
            if ($index > 0) {
                self::$waiting[] = self::$begun;
                self::$begun = '';
            }
            // One byte more than allowed is enough to refuse the line.
            self::$begun .= substr($part, 0, LIMIT + 1 - strlen(self::$begun));
        }
    }
}

// Gives the id, the method, and result or error of a line; no answer for a notification.
function answered(string $line): array
{
    $id = null;
    try {
        $message = parsed($line);
        $id = is_string($message->id ?? null) ? $message->id : null;
        $method = $message->method ?? null;
        $refused = ($message->jsonrpc ?? null) !== '2.0' || !is_string($method);
        if ($refused || ($id === null && property_exists($message, 'id'))) {
            throw new Fault(NO_REQUEST, 'a request has jsonrpc "2.0", a method and an id that is a string');
        }
        if ($id === null) {
            return [null, null, null];
        }
        Wire::$current = $id;
        $params = property_exists($message, 'params') ? $message->params : (object) [];
        return [$id, $method, ['result' => called($method, $params)]];
    } catch (Fault $fault) {
        return [$id, null, ['error' => $fault->error()]];
    } catch (Throwable $fault) {
        fwrite(STDERR, "a fault of this driver: $fault\n");
        return [$id, null, ['error' => ['code' => INTERNAL, 'message' => $fault->getMessage()]]];
    }
}

// Reads a line as a JSON object.
function parsed(string $line): object
{
    if (strlen($line) > LIMIT) {
        throw new Fault(NO_REQUEST, 'the line is longer than ' . LIMIT . ' bytes');
    }
    try {
        $message = json_decode($line, flags: JSON_THROW_ON_ERROR);
    } catch (JsonException $fault) {
        throw new Fault(NOT_JSON, "the line is no JSON: {$fault->getMessage()}");
    }
    if (!is_object($message)) {
        throw new Fault(NO_REQUEST, 'a request is one object');
    }
    return $message;
}

// Calls a method with params that fit it.
function called(string $method, mixed $params): object
{
    if (!array_key_exists($method, METHODS)) {
        throw new Fault(UNKNOWN_METHOD, "there is no method $method");
    }
    [$call, $members] = METHODS[$method];
    if (!is_object($params)) {
        throw new Fault(PARAMS_DO_NOT_FIT, 'params is an object');
    }
    foreach ($members as $name => $kind) {
        if (!fits($params->$name ?? null, $kind)) {
            throw new Fault(PARAMS_DO_NOT_FIT, "$method needs $name: $kind");
        }
    }
    return $call($params);
}

function fits(mixed $value, string $kind): bool
{
    return match ($kind) {
        'text' => is_string($value),
        'integer' => is_int($value),
        'object' => is_object($value),
        'texts' => is_array($value) && array_filter($value, is_string(...)) === $value,
    };
}

// Writes an answer as one line.
function encoded(?string $id, array $answer): string
{
    $message = ['jsonrpc' => '2.0', 'id' => $id, ...$answer];
    try {
        $line = json_encode($message, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES) . "\n";
    } catch (JsonException $fault) {
        $error = ['code' => INTERNAL, 'message' => "the answer is no JSON: {$fault->getMessage()}"];
        return encoded($id, ['error' => $error]);
    }
    if (strlen($line) <= LIMIT) {
        return $line;
    }
    $error = ['code' => INTERNAL, 'message' => 'the answer is longer than ' . LIMIT . ' bytes'];
    return encoded($id, ['error' => $error]);
}

// Standard output is for the protocol alone: what PHP reports, and what is echoed, goes to standard error.
ini_set('display_errors', 'stderr');
ini_set('html_errors', '0');
ob_start(static function (string $text): string {
    fwrite(STDERR, $text);
    return '';
}, 1);
stream_set_read_buffer(STDIN, 0); // what PHP has read ahead is not seen by stream_select

while (($line = Wire::next()) !== null) {
    [$id, $method, $answer] = answered($line);
    if ($answer !== null) {
        $written = @fwrite(STDOUT, encoded($id, $answer));
        if ($written === false || $method === 'shutdown') {
            break;
        }
    }
}
leave();

// A driver: it puts your engine behind the protocol of session-tck, one JSON object a line on stdin and stdout.
//
// As it stands it supports nothing, and session-tck says so of every requirement. It becomes yours step by step:
// fill in a method of the first half, name in supported what now works, run `session-tck driver check`. What each
// method is given and answers is described in docs/driver-protocol.md of session-tck, under the name of the method.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"
)

// ------------------------------------------------------------------------------------------------ your engine

// Who drives, and what is driven. The versions are releases or commits, never the name of a branch.
var driver = object{"name": "my-driver", "version": "0.1.0"}
var implementation = object{"name": "my-engine", "version": "0.1.0", "language": "go"}

// "virtual" where the engine takes its time from clock/advance, "wall" where it looks at the machine's clock.
const clock = "wall"

// What works, such as "sessions", "adapter.codex", "view.sessions", "stimulus.run.due", "control.kill".
// Whatever is true here is used; docs/driver-protocol.md, "Capabilities", lists all the names.
var supported = map[string]bool{}

// initialize says who answers, and which of the capabilities asked are supported.
func initialize(_ context.Context, params members) (object, error) {
	var protocol int
	var asked []string
	if err := params.read("protocol", &protocol); err != nil {
		return nil, err
	}
	if err := params.read("capabilities", &asked); err != nil {
		return nil, err
	}
	if protocol != 1 {
		return nil, &fault{code: paramsDoNotFit, message: fmt.Sprintf("this driver speaks protocol 1, not %d", protocol)}
	}
	// "directory" is a folder for this process alone: the place for a database or a log of the engine.
	capabilities := map[string]string{}
	for _, name := range asked {
		capabilities[name] = "unsupported"
		if supported[name] {
			capabilities[name] = "supported"
		}
	}
	return object{
		"protocol":       1,
		"driver":         driver,
		"implementation": implementation,
		"capabilities":   capabilities,
		"clock":          clock,
	}, nil
}

// openScenario begins a scenario with an empty engine.
func openScenario(_ context.Context, _ members) (object, error) {
	// Start the engine with "config": its projects, bindings, settings, mounts and images. Keep its state under the
	// config's base, put the endpoints' path first on its PATH, and let its tracker and model clients talk to the
	// endpoints' forge and model. Then: return object{"refused": nil}, nil, or the engine's own text where it
	// refuses this configuration. docs/driver-protocol.md, "scenario/open".
	return nil, unsupported("sessions")
}

// sendStimulus lets something happen to the engine.
func sendStimulus(_ context.Context, params members) (object, error) {
	var kind string
	if err := params.read("type", &kind); err != nil {
		return nil, err
	}
	// Hand "payload" to the engine in the way in which it learns of this type in real life: a webhook, an API call,
	// a row in its database. Then: return object{"run": id of the run or nil, "outcome": nil, "error": nil}, nil.
	// Where you wait for the engine, stop when the context is done. docs/driver-protocol.md, "stimulus/send", and
	// the table of types and payloads in "Stimuli".
	return nil, unsupported("stimulus." + kind)
}

// advanceClock lets time pass.
func advanceClock(_ context.Context, _ members) (object, error) {
	// Set the clock of the engine to "now", "ms" milliseconds later than it was, and let every deadline up to there
	// take effect, in order. Then: return object{"now": now}, nil. docs/driver-protocol.md, "clock/advance".
	return nil, unsupported("control.clock")
}

// underWay gives what the engine has under way.
func underWay() []object {
	// One object{"what": text, "waits_for": "container", "clock", "run" or "work"} for each thing that is not done,
	// with "container": its name where it waits for one. docs/driver-protocol.md, "barrier/quiesce".
	return []object{}
}

// quiesce answers as soon as the engine is at rest, or when the deadline has passed.
func quiesce(ctx context.Context, params members) (object, error) {
	var milliseconds int64
	if err := params.read("deadline_ms", &milliseconds); err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(ctx, time.Duration(milliseconds)*time.Millisecond)
	defer done()
	pending := underWay()
	for atWork(pending) && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
		pending = underWay()
	}
	// Add "next_deadline" where the engine has something to do by itself at a later time.
	return object{"idle": len(pending) == 0, "pending": pending}, nil
}

func atWork(pending []object) bool {
	for _, one := range pending {
		if one["waits_for"] == "work" {
			return true
		}
	}
	return false
}

// queryState gives the rows of a view.
func queryState(_ context.Context, params members) (object, error) {
	var view string
	if err := params.read("view", &view); err != nil {
		return nil, err
	}
	// Read the rows of this view from the engine's own bookkeeping, nil where a column is not known. Then: return
	// object{"rows": rows}, nil, where no rows are []object{}. docs/driver-protocol.md, "state/query", and the
	// columns of each view in "Views".
	return nil, unsupported("view." + view)
}

// overwriteState overwrites the native id that the engine has stored for a run.
func overwriteState(_ context.Context, _ members) (object, error) {
	// Write native_session_id where the engine keeps it for run, past the engine's own checks. Then: return object{},
	// nil. The kit does it itself where it can reach the database. docs/driver-protocol.md, "state/overwrite".
	return nil, unsupported("control.overwrite")
}

// killEngine ends the engine without warning, as a power cut would.
func killEngine(_ context.Context, _ members) (object, error) {
	// SIGKILL the engine's own processes; containers, database and folders stay as they are. Then: return object{},
	// nil. docs/driver-protocol.md, "engine/kill".
	return nil, unsupported("control.kill")
}

// startEngine starts the engine again on what is there.
func startEngine(_ context.Context, _ members) (object, error) {
	// As in openScenario, but on the state that the killed engine left. Then: return object{"refused": nil}, nil.
	// docs/driver-protocol.md, "engine/start".
	return nil, unsupported("control.kill")
}

// closeScenario ends the scenario.
func closeScenario(_ context.Context, _ members) (object, error) {
	// End the engine of this scenario, and name in "leaks" the runs that were still under way.
	// docs/driver-protocol.md, "scenario/close".
	return object{"leaks": []string{}}, nil
}

// leave puts away what is left when the driver ends, after shutdown or at the end of standard input.
func leave() {
	// End the engine and every process that this driver started; none may outlive it.
}

// shutdown gets ready to end; the process ends as soon as this is answered.
func shutdown(_ context.Context, _ members) (object, error) {
	return object{}, nil
}

// --------------------------------------------------------------------------- the wire: nothing to fill in below

const (
	notJSON        = -32700
	noRequest      = -32600
	unknownMethod  = -32601
	paramsDoNotFit = -32602
	internal       = -32603
	isUnsupported  = -32001
	engineFailed   = -32002
	isCancelled    = -32800
)

// limit is the bytes of a line, both ways.
const limit = 1_048_576

type object = map[string]any
type handler = func(context.Context, members) (object, error)

type method struct {
	call  handler
	needs map[string]string
}

var methods = map[string]method{
	"initialize": {initialize, map[string]string{
		"protocol": "integer", "kit": "object", "spec": "object", "capabilities": "texts", "directory": "text",
	}},
	"scenario/open": {openScenario, map[string]string{
		"ref": "text", "seed": "integer", "workdir": "text", "endpoints": "object", "config": "object",
	}},
	"stimulus/send":   {sendStimulus, map[string]string{"type": "text", "payload": "object"}},
	"clock/advance":   {advanceClock, map[string]string{"ms": "integer", "now": "text"}},
	"barrier/quiesce": {quiesce, map[string]string{"deadline_ms": "integer"}},
	"state/query":     {queryState, map[string]string{"view": "text"}},
	"state/overwrite": {overwriteState, map[string]string{"run": "text", "native_session_id": "text"}},
	"engine/kill":     {killEngine, nil},
	"engine/start":    {startEngine, nil},
	"scenario/close":  {closeScenario, nil},
	"shutdown":        {shutdown, nil},
}

// members are those of a JSON object, each still as it came.
type members map[string]json.RawMessage

// read puts a member into a variable of any type that it fits.
func (m members) read(name string, into any) error {
	if err := json.Unmarshal(m[name], into); err != nil {
		return &fault{code: paramsDoNotFit, message: fmt.Sprintf("%s does not fit: %v", name, err)}
	}
	return nil
}

func (m members) text(name string) (string, bool) {
	var value string
	if !bytes.HasPrefix(m[name], []byte(`"`)) {
		return "", false
	}
	err := json.Unmarshal(m[name], &value)
	return value, err == nil
}

// fits says whether a member is there and of a kind.
func (m members) fits(name, kind string) bool {
	raw := m[name]
	switch kind {
	case "text":
		return bytes.HasPrefix(raw, []byte(`"`))
	case "integer":
		_, err := strconv.ParseInt(string(raw), 10, 64)
		return err == nil
	case "object":
		return bytes.HasPrefix(raw, []byte("{"))
	default:
		var texts []*string // null is no text, though Go would take it for an empty one
		if !bytes.HasPrefix(raw, []byte("[")) || json.Unmarshal(raw, &texts) != nil {
			return false
		}
		for _, one := range texts {
			if one == nil {
				return false
			}
		}
		return true
	}
}

// fault is an error that the kit is told; return &fault{code: engineFailed, message: text} where the engine
// crashed, hung or broke off.
type fault struct {
	code    int
	message string
	data    any
}

func (f *fault) Error() string { return f.message }

func unsupported(capability string) *fault {
	return &fault{isUnsupported, capability + " is unsupported", object{"capability": capability}}
}

// request is a line that is to be answered; what is wrong with it is known before its turn comes.
type request struct {
	id     json.RawMessage
	method string
	params json.RawMessage
	wrong  *fault
	ctx    context.Context
}

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr          // standard output is for the protocol alone, whatever else is printed
	signal.Ignore(syscall.SIGPIPE) // a kit that has gone is noticed where the answer is written
	requests := make(chan request, 16)
	go receive(requests)
	for one := range requests {
		result, wrong := answer(one)
		if _, err := out.Write(encoded(one.id, result, wrong)); err != nil {
			break
		}
		if one.method == "shutdown" && wrong == nil {
			break
		}
	}
	leave()
}

// receive reads requests, and cancels the context of one that the kit gives up, also while it is being worked on.
func receive(requests chan<- request) {
	all, cancelAll := context.WithCancel(context.Background())
	cancel := map[string]context.CancelFunc{}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := readLine(lines)
		if err != nil {
			break
		}
		one, message := parsed(line)
		if one.wrong == nil && one.id == nil {
			if one.method == "$/cancel" {
				var given members
				_ = json.Unmarshal(message["params"], &given)
				if id, isText := given.text("id"); isText && cancel[id] != nil {
					cancel[id]()
				}
			}
			continue
		}
		ctx, stop := context.WithCancel(all)
		if id, isText := message.text("id"); isText {
			cancel = map[string]context.CancelFunc{id: stop} // requests come one at a time
		}
		one.ctx = ctx
		requests <- one
	}
	cancelAll()
	close(requests)
	time.Sleep(time.Second)
	os.Exit(0) // whatever is still at work has lost its kit
}

// readLine gives a line without its end. One byte more than allowed is enough to refuse it.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := lines.ReadSlice('\n')
		if err == nil {
			piece = piece[:len(piece)-1]
		}
		if room := limit + 1 - len(line); len(piece) > room {
			piece = piece[:room]
		}
		line = append(line, piece...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// parsed reads a line as a request or, without an id and without a fault, as a notification.
func parsed(line []byte) (request, members) {
	var message members
	if len(line) > limit {
		return request{wrong: &fault{code: noRequest, message: fmt.Sprintf("the line is longer than %d bytes", limit)}}, nil
	}
	if !utf8.Valid(line) || !json.Valid(line) {
		return request{wrong: &fault{code: notJSON, message: "the line is no JSON in UTF-8"}}, nil
	}
	if json.Unmarshal(line, &message) != nil || message == nil {
		return request{wrong: &fault{code: noRequest, message: "a request is one object"}}, nil
	}
	one := request{params: message["params"]}
	_, isText := message.text("id")
	if isText {
		one.id = message["id"]
	}
	name, named := message.text("method")
	version, _ := message.text("jsonrpc")
	if version != "2.0" || !named || (message["id"] != nil && !isText) {
		one.wrong = &fault{code: noRequest, message: `a request has jsonrpc "2.0", a method and an id that is a string`}
	}
	one.method = name
	return one, message
}

// answer calls the method of a request with params that fit it.
func answer(one request) (result object, wrong *fault) {
	defer func() {
		if panicked := recover(); panicked != nil {
			log.Printf("a fault of this driver: %v", panicked)
			wrong = &fault{code: internal, message: fmt.Sprint(panicked)}
		}
	}()
	if one.wrong != nil {
		return nil, one.wrong
	}
	asked, known := methods[one.method]
	if !known {
		return nil, &fault{code: unknownMethod, message: "there is no method " + one.method}
	}
	params := members{}
	if one.params != nil && (!bytes.HasPrefix(one.params, []byte("{")) || json.Unmarshal(one.params, &params) != nil) {
		return nil, &fault{code: paramsDoNotFit, message: "params is an object"}
	}
	for name, kind := range asked.needs {
		if !params.fits(name, kind) {
			return nil, &fault{code: paramsDoNotFit, message: fmt.Sprintf("%s needs %s: %s", one.method, name, kind)}
		}
	}
	result, err := asked.call(one.ctx, params)
	if err == nil {
		return result, nil
	}
	if errors.As(err, &wrong) {
		return nil, wrong
	}
	log.Printf("a fault of this driver: %v", err)
	return nil, &fault{code: internal, message: err.Error()}
}

// encoded writes an answer as one line.
func encoded(id json.RawMessage, result object, wrong *fault) []byte {
	message := object{"jsonrpc": "2.0", "id": id}
	if wrong == nil {
		message["result"] = result
	} else {
		told := object{"code": wrong.code, "message": wrong.message}
		if wrong.data != nil {
			told["data"] = wrong.data
		}
		message["error"] = told
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return encoded(id, nil, &fault{code: internal, message: "the answer is no JSON: " + err.Error()})
	}
	if line.Len() > limit {
		return encoded(id, nil, &fault{code: internal, message: fmt.Sprintf("the answer is longer than %d bytes", limit)})
	}
	return line.Bytes()
}

import type { EventCursor } from '../../../lib/sse/index.ts';
import {
  isFilled,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  textOf,
  parseObject,
} from '../../../lib/json.ts';
import { responseEnds, upstreamFailure } from '../../families/openai/index.ts';
import {
  JsonPass,
  StreamPass,
  type AnswerWire,
  contentIn,
  pass,
  type StreamWire,
  type Verdict,
} from '../../streams/index.ts';
import type { AnswerEnd, AnswerPipe, AnswerSetup, VendorMade } from '../../types/index.ts';
import { errorEvent, failedIn, failedResponse, failureOf } from './failure.ts';
import { readResponsesText, responsesMedia } from './text.ts';
import { AnnouncedUses, madeContainer, readAnnounced, readResponsesUsage, usageIn } from './usage.ts';

/** Parts of the names of the events that end a stream, of errors, and of items that announce the use of a tool. */
const markers = [
  '_call"',
  'nse.completed',
  'nse.incomplete',
  'nse.failed',
  'nse.cancelled',
  'rror"',
  'rror\n',
  'rror\r',
].map((mark) => Buffer.from(mark));
/** The data of such an event. */
const marks = [
  'search_call"',
  'generation_call"',
  'interpreter_call"',
  'shell_call"',
  '"response.completed"',
  '"response.incomplete"',
  '"response.failed"',
  '"response.cancelled"',
  '"error"',
].map((mark) => Buffer.from(mark));

/** Most containers of an answer that are noted. */
const maxMade = 100;

/** Data of a response that the vendor has stored, or has not, and of what its tools made. */
class StoredResponse {
  end: Pick<AnswerEnd, 'storedId' | 'answer'> = {};
  private readonly containers = new Map<string, VendorMade>();
  private readonly tools: Json | undefined;

  constructor(asked: JsonObject | undefined) {
    this.tools = asked?.tools;
  }

  get made(): VendorMade[] {
    return [...this.containers.values()];
  }

  /** Takes an item; the tools of a response in the background are only known by the response. */
  noteItem(item: JsonObject, tools: Json | undefined = this.tools): void {
    const made = madeContainer(item, tools);
    if (made && this.containers.size < maxMade) this.containers.set(made.id, made);
  }

  note(response: JsonObject): void {
    const { id, object, store, output } = response;
    for (const item of objectsIn(output)) this.noteItem(item, this.tools ?? response.tools);
    if (object === 'response.compaction' || typeof id !== 'string' || id === '') return;
    this.end = store === false ? { answer: withoutNames(response) } : { storedId: id };
  }
}

/** A response that its vendor does not store. It would look there for reasoning that is only named. */
const withoutNames = (response: JsonObject): JsonObject => ({
  ...response,
  output: objectsIn(response.output).filter(
    ({ type, encrypted_content: content }) => type !== 'reasoning' || typeof content === 'string',
  ),
});

function examine(
  event: EventCursor,
  { uses, stored, secrets }: { uses: AnnouncedUses; stored: StoredResponse; secrets: readonly string[] },
): Verdict {
  const data = event.data();
  if (!data) return pass;
  const isError = event.name === 'error';
  if (!isError && !responseEnds.has(event.name) && !marks.some((mark) => data.includes(mark))) return pass;
  const body = parseObject(data);
  if (!body) {
    const words = data.toString('utf8', 0, 2_000);
    return isError ? { kind: 'error', error: upstreamFailure(502, words, secrets) } : pass;
  }
  const response = objectOf(body.response);
  const type = textOf(body.type);
  switch (type.startsWith('response.') || !responseEnds.has(event.name) ? type || event.name : event.name) {
    case 'response.completed':
    case 'response.incomplete':
      stored.note(response);
      return { kind: 'end', raw: usageIn(response) };
    case 'response.failed':
    case 'response.cancelled':
      return { kind: 'error', error: failedResponse(failedIn(body), secrets), raw: usageIn(response) };
    case 'response.output_item.added':
    case 'response.output_item.done': {
      stored.noteItem(objectOf(body.item));
      const raw = uses.note(body);
      return raw ? { kind: 'usage', raw } : pass;
    }
    case 'error':
      return { kind: 'error', error: errorEvent(body, secrets) };
    case '':
      // Some gateways report a failure as a bare error object, without the name of the event.
      return body.error === undefined ? pass : { kind: 'error', error: errorEvent(body, secrets) };
    default:
      return pass;
  }
}

/** The start of a response is not content; an item that is more than the frame of a message is. */
function eventHasContent(body: JsonObject): boolean {
  const type = textOf(body.type);
  if (type === 'response.completed' || type === 'response.incomplete')
    return hasContent(objectOf(body.response));
  if (type === 'response.output_item.added' || type === 'response.output_item.done') {
    const item = objectOf(body.item);
    return item.type !== 'message' || isFilled(item.content);
  }
  return type.startsWith('response.') && isFilled(body.delta ?? body.partial_image_b64);
}

const hasContent = ({ output, status }: JsonObject): boolean => isFilled(output) || isFilled(status);

/** Opens the reader of an answer that passes to a caller of the same protocol. */
export function openResponsesPipe(setup: AnswerSetup): AnswerPipe {
  const { secrets, hideUsage, contentType } = setup;
  const stored = new StoredResponse(setup.asked);
  if (setup.kind === 'stream') {
    const uses = new AnnouncedUses(setup.asked);
    const wire: StreamWire = {
      markers,
      mediaMarks: responsesMedia.marks,
      readText: readResponsesText(),
      examine: (event) => examine(event, { uses, stored, secrets }),
      stored: () => stored.end,
      made: () => stored.made,
      isContent: contentIn(eventHasContent),
    };
    return new StreamPass('text/event-stream', {
      wire,
      hideUsage,
      readUsage: readResponsesUsage,
      readInput: readAnnounced,
      secrets,
    });
  }
  const wire: AnswerWire = {
    isAnswer: (body) => Array.isArray(body.output),
    stored: (body) => (stored.note(body), stored.end),
    made: () => stored.made,
    hasContent,
    readFailure: (body) => failureOf(body, secrets),
    readText: readResponsesText(),
    hasText: true,
  };
  return new JsonPass(contentType, { wire, readUsage: readResponsesUsage, rewrite: setup.rewrite });
}

import { seconds } from '../../lib/clock.ts';
import { type Json, type JsonObject, objectsIn, parseObject, textOf, textsUnder } from '../../lib/json.ts';
import { inputItems, isSummary } from '../../relay/families/openai/index.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import { refuse } from '../../relay/types/index.ts';
import { type AnswerSink, ClientStream, type GatewayDeps, type RelayCall } from '../call/index.ts';
import { refuseCall } from '../failover/index.ts';
import { isServedByVendor } from './own-responses.ts';

const task = `This conversation goes on in a new context. Write a summary from which another model can continue it:
what the user wants, what was decided, facts, names, paths and values, results of tools, what is done and what is left to do.
Do not answer the user and call no tools. Write nothing but the summary.`;

/**
 * Serves a compaction of a conversation: by a vendor that makes them; otherwise by a call of the model that summarises it, which
 * is held for and charged as such, if the gateway keeps responses. Only its user can send the summary back, and only to this
 * gateway.
 */
export async function serveCompaction(
  deps: GatewayDeps,
  relayCall: RelayCall,
  serve: (relayCall: RelayCall) => Promise<void>,
): Promise<void> {
  if (!deps.keptResponses.isOn() || (await isServedByVendor(deps, relayCall))) return serve(relayCall);
  const protocol = callerProtocol('openai-responses');
  if (!protocol) throw new Error('callers cannot speak Responses');
  const { inbound } = protocol;
  const { json: asked, requestId, facts, caller } = relayCall;
  const { model, instructions, reasoning, service_tier: tier } = asked;
  const items = inputItems(asked['input'], requestId);
  const json: JsonObject = {
    model: model ?? '',
    ...(instructions !== undefined && { instructions }),
    ...(reasoning !== undefined && { reasoning }),
    ...(tier !== undefined && { service_tier: tier }),
    input: [...items.flatMap(asMessage), { role: 'user', content: task }],
    store: false,
  };
  const raw = Buffer.from(JSON.stringify(json));
  const sizes = { byteLength: raw.length, charLength: raw.toString().length };
  const { fileIds } = facts;
  const sink = new WholeAnswer(relayCall.res);
  await serve({
    ...relayCall,
    inbound,
    path: '/v1/responses',
    res: sink,
    client: new ClientStream(sink),
    raw,
    json,
    facts: { ...inbound.readFacts(json, sizes), ...(fileIds && { fileIds }) },
    cached: undefined,
  });
  const { client } = relayCall;
  if (sink.destroyed || !sink.writableEnded) return client.destroy();
  client.open();
  const { 'content-length': _, ...headers } = sink.headers;
  const body = Buffer.concat(sink.parts);
  if (sink.status !== 200) {
    client.head(sink.status, headers);
    return client.finish(body, {});
  }
  const { output, usage = null } = parseObject(body) ?? {};
  const summary = textsOf(output);
  // It is charged as the call that it was.
  if (summary === '') return void refuseCall(deps, relayCall, refuse('answer_unreadable'));
  const users = items
    .filter((item) => item['type'] === 'message' && item['role'] === 'user' && !isSummary(item))
    .map((item) => ({ ...item, status: 'completed', content: partsOf(item['content']) }));
  const content = deps.keptResponses.sealSummary(caller.userId, summary);
  const compaction = { id: `cmp_${requestId}`, type: 'compaction', encrypted_content: content };
  client.head(200, headers);
  client.finish(
    Buffer.from(
      JSON.stringify({
        id: `resp_${requestId}`,
        object: 'response.compaction',
        created_at: seconds(deps.clock),
        output: [...users, compaction],
        usage,
      }),
    ),
    {},
  );
}

/** The text of an answer's messages. */
const textsOf = (output: Json | undefined): string =>
  objectsIn(output)
    .filter(({ type }) => type === 'message')
    .flatMap(({ content }) => objectsIn(content).map(({ text }) => textOf(text)))
    .join('');

const partsOf = (content: Json | undefined): Json =>
  typeof content === 'string' ? [{ type: 'input_text', text: content }] : (content ?? []);

/**
 * An item for a model that is offered no tools: calls and their results become texts, thoughts are left out. Others stay and are
 * refused if they have no meaning at the vendor.
 */
function asMessage(item: JsonObject): JsonObject[] {
  const { id: _, status: __, ...rest } = item;
  switch (item['type']) {
    case 'function_call':
    case 'custom_tool_call': {
      const { name, arguments: given, input } = item;
      return [{ role: 'assistant', content: `Call of ${textOf(name)}: ${textOf(given) || textOf(input)}` }];
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const { output } = item;
      const text = typeof output === 'string' ? output : textsUnder({ output }, texts).join('\n');
      return [{ role: 'user', content: `Result: ${text}` }];
    }
    case 'reasoning':
      return [];
    default:
      return [rest];
  }
}
const texts = new Set(['text']);

/** Collects an answer in one piece for a caller. */
class WholeAnswer implements AnswerSink {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  status = 0;
  headers: Record<string, string> = {};
  readonly parts: Buffer[] = [];
  private readonly res: AnswerSink;
  private isBroken = false;

  constructor(res: AnswerSink) {
    this.res = res;
  }

  get destroyed(): boolean {
    return this.isBroken || this.res.destroyed;
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.headersSent = true;
    this.status = status;
    this.headers = headers;
  }

  write(chunk: Buffer): boolean {
    this.parts.push(chunk);
    return true;
  }

  addTrailers(): void {
    // An answer in one piece has its cost in a header.
  }

  end(chunk?: Buffer): void {
    if (chunk) this.parts.push(chunk);
    this.writableEnded = true;
    this.writableFinished = true;
  }

  destroy(): void {
    this.isBroken = true;
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    this.res.once(event, listener);
  }
}

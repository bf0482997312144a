import type { Message, Part } from '../types/index.ts';

type Call = Extract<Part, { type: 'tool-call' }>;
type Result = Extract<Part, { type: 'tool-result' }>;

/** A call of the conversation, and its results so far. */
interface OpenCall {
  id: string;
  name: string;
  result?: Result;
}

/**
 * Orders the conversation as every vendor accepts it: a message with the calls of a turn, then one result for each
 * call in the order of the calls, then other content. Callers may send results in any order, in several messages,
 * several for one call, and messages in between. Some give calls of different turns the same name, or none, so ids are
 * made unique.
 */
export function inOrder(messages: readonly Message[]): Message[] {
  if (!messages.some(({ parts }) => parts.some(isOfTool))) return [...messages];
  const ordered: (Message | OpenCall[])[] = [];
  const ids = new Map<string, number>();
  /** The last call of each id, by the caller's id. */
  const byId = new Map<string, OpenCall>();
  for (const message of messages) {
    const calls: OpenCall[] = [];
    const parts: Part[] = [];
    for (const part of message.parts) {
      if (part.type === 'tool-call') {
        const call = { id: uniqueId(part, ids), name: part.name };
        byId.set(part.id, call);
        calls.push(call);
        parts.push(call.id === part.id ? part : { ...part, id: call.id });
      } else if (part.type !== 'tool-result' || !answer(byId.get(part.id), part)) parts.push(part);
    }
    if (parts.length > 0 || message.parts.length === 0) ordered.push({ ...message, parts });
    if (calls.length > 0) ordered.push(calls);
  }
  return ordered.flatMap((each) => (Array.isArray(each) ? resultsOf(each) : [each]));
}

const isOfTool = ({ type }: Part): boolean => type === 'tool-call' || type === 'tool-result';

/**
 * `ids` has the ids so far, each with the last number that was appended to it: a body may repeat one many thousand
 * times.
 */
function uniqueId({ id: given, name }: Call, ids: Map<string, number>): string {
  const base = given || `call_${name}`;
  let id = base;
  let count = ids.get(base) ?? 1;
  while (ids.has(id)) id = `${base}_${(count += 1)}`;
  ids.set(base, count);
  if (id !== base) ids.set(id, 1);
  return id;
}

/** Adds a result to its call; false if there is no such call. */
function answer(call: OpenCall | undefined, result: Result): boolean {
  if (!call) return false;
  const { result: before } = call;
  const parts: Part[] = before?.parts ?? [];
  for (const part of result.parts) parts.push(part);
  const isError = result.isError || before?.isError === true;
  call.result = { ...result, id: call.id, name: call.name, parts, isError };
  return true;
}

function resultsOf(calls: readonly OpenCall[]): Message[] {
  const parts = calls.flatMap(({ result }) => result ?? []);
  return parts.length > 0 ? [{ role: 'tool', parts }] : [];
}

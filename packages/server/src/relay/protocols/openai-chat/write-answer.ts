import type { ChatEvent, FinishReason, WriterOptions } from '../../types/index.ts';
import { type Json, isObject, type JsonObject } from '../../../lib/json.ts';
import { writeCitations } from './citation.ts';
import { writeFile } from './file.ts';
import { callsFunctions } from './functions.ts';
import { besideCall, writeDetails } from './thoughts.ts';
import { headOf, writeUsage, writtenReason } from './write.ts';

/** One of the answers (`n`), gathered from its events. */
interface Gathered {
  content: string | null;
  refusal: string | null;
  reasoning: string;
  /** The text of the last reasoning block, for its signature. */
  thought: string;
  details: JsonObject[];
  /** Data of the next call beside its function. */
  besideCall: JsonObject;
  tools: Map<number, { id: string; type: 'function'; function: { name: string; arguments: string } }>;
  annotations: JsonObject[];
  media: JsonObject;
  logprobs: Json[];
  finish: FinishReason;
}

/** Writes the events of one answer as a chat completion, in the strict form. */
export function writeChatAnswer(
  events: readonly ChatEvent[],
  { fallback, request }: WriterOptions,
): JsonObject {
  const ofFunctions = callsFunctions(request);
  let head = headOf(undefined, fallback);
  let usage: JsonObject | undefined;
  const choices = new Map<number, Gathered>();
  for (const event of events) {
    if (event.type === 'start') head = headOf(event, fallback);
    else if (event.type === 'usage') usage = event.isPartial ? usage : writeUsage(event.usage);
    else if (event.type !== 'error') gather(choiceOf(choices, event.choice), event);
  }
  return {
    object: 'chat.completion',
    ...head,
    choices: [...choices].map(([index, gathered]) => writeChoice(index, gathered, ofFunctions)),
    ...(usage && { usage }),
  };
}

function choiceOf(choices: Map<number, Gathered>, index: number): Gathered {
  const known = choices.get(index);
  if (known) return known;
  const fresh: Gathered = {
    content: null,
    refusal: null,
    reasoning: '',
    thought: '',
    details: [],
    besideCall: {},
    tools: new Map(),
    annotations: [],
    media: {},
    logprobs: [],
    finish: { unified: 'stop', raw: 'stop' },
  };
  choices.set(index, fresh);
  return fresh;
}

type ChoiceEvent = Exclude<ChatEvent, { type: 'start' | 'usage' | 'error' }>;

function gather(choice: Gathered, event: ChoiceEvent): void {
  switch (event.type) {
    case 'text-delta':
      choice.content = (choice.content ?? '') + event.text;
      if (event.logprobs !== undefined) choice.logprobs.push(event.logprobs);
      break;
    case 'refusal-delta':
      choice.refusal = (choice.refusal ?? '') + event.text;
      break;
    case 'reasoning-delta':
      choice.reasoning += event.text;
      choice.thought += event.text;
      break;
    case 'tool-input-start':
      choice.tools.set(event.block, {
        id: event.id,
        type: 'function',
        function: { name: event.name, arguments: '' },
        ...choice.besideCall,
      });
      choice.besideCall = {};
      break;
    case 'tool-input-delta': {
      const tool = choice.tools.get(event.block);
      if (tool) tool.function.arguments += event.text;
      break;
    }
    case 'annotation':
      choice.annotations.push(...writeCitations(event));
      break;
    case 'file':
      gatherFile(choice, event);
      break;
    case 'reasoning-end':
      gatherSignature(choice, event);
      break;
    case 'finish':
      choice.finish = event.reason;
      break;
    default:
  }
}

function gatherFile(choice: Gathered, event: Extract<ChatEvent, { type: 'file' }>): void {
  const { content, ...media } = writeFile(event);
  if (typeof content === 'string') choice.content = (choice.content ?? '') + content;
  addMedia(choice.media, media);
}

function gatherSignature(choice: Gathered, event: Extract<ChatEvent, { type: 'reasoning-end' }>): void {
  choice.besideCall = besideCall(event);
  choice.details.push(...writeDetails({ ...event, text: choice.thought }));
  choice.thought = '';
}

/** Sound arrives in pieces: its data and transcript are joined. Pictures are listed. */
function addMedia(media: JsonObject, fields: JsonObject): void {
  for (const [key, value] of Object.entries(fields)) {
    const before = media[key];
    if (Array.isArray(before) && Array.isArray(value)) media[key] = [...before, ...value];
    else if (isObject(before) && isObject(value)) media[key] = joinTexts(before, value);
    else media[key] = value;
  }
}

function joinTexts(before: JsonObject, next: JsonObject): JsonObject {
  const joined: JsonObject = { ...before, ...next };
  for (const field of ['data', 'transcript']) {
    const [a, b] = [before[field], next[field]];
    if (typeof a === 'string' && typeof b === 'string') joined[field] = a + b;
  }
  return joined;
}

function writeChoice(index: number, gathered: Gathered, ofFunctions: boolean): JsonObject {
  const tools = [...gathered.tools.values()];
  const calls = ofFunctions ? { function_call: tools[0]?.function ?? null } : { tool_calls: tools };
  const message: JsonObject = {
    role: 'assistant',
    content: gathered.content,
    refusal: gathered.refusal,
    ...(gathered.reasoning !== '' && { reasoning_content: gathered.reasoning }),
    ...(gathered.details.length > 0 && { reasoning_details: gathered.details }),
    ...(tools.length > 0 && calls),
    ...(gathered.annotations.length > 0 && { annotations: gathered.annotations }),
    ...gathered.media,
  };
  return {
    index,
    message,
    logprobs: joinLogprobs(gathered.logprobs),
    finish_reason: writtenReason(gathered.finish, ofFunctions),
  };
}

/** Log probabilities arrive in one list per delta; the answer has one list. */
function joinLogprobs(pieces: readonly Json[]): JsonObject | null {
  const content = pieces.flatMap((piece) =>
    isObject(piece) && Array.isArray(piece.content) ? piece.content : [],
  );
  return content.length > 0 ? { content } : null;
}

import { isObject, type Json, type JsonObject, textOf } from '../lib/json.ts';
import type { ProtocolId, SystemPrompt } from './types/index.ts';

/** Blocks of a text, or a text itself, in the form of the field. */
function mergedText({ text, place }: SystemPrompt, own: Json | undefined): Json | undefined {
  const isEmpty = own === undefined || own === null || own === '' || (Array.isArray(own) && own.length === 0);
  if (isEmpty || place === 'instead') return text;
  if (place === 'if-none') return undefined;
  return Array.isArray(own) ? [{ type: 'text', text }, ...own] : `${text}\n${textOf(own)}`;
}

function mergedParts({ text, place }: SystemPrompt, own: Json | undefined): Json[] | undefined {
  const parts = Array.isArray(own) ? own : [];
  if (parts.length === 0 || place === 'instead') return [{ text }];
  return place === 'if-none' ? undefined : [{ text }, ...parts];
}

const systemRoles: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** In chats the first system message has the instructions; with `instead` it is the only one. */
function inMessages(draft: JsonObject, prompt: SystemPrompt): void {
  if (!Array.isArray(draft.messages)) return;
  const messages: Json[] = draft.messages;
  const isSystem = (message: Json): boolean => isObject(message) && systemRoles.has(message.role);
  const first = messages.findIndex(isSystem);
  const message = messages[first];
  if (!isObject(message)) {
    draft.messages = [{ role: 'system', content: prompt.text }, ...messages];
    return;
  }
  const content = mergedText(prompt, message.content);
  if (content === undefined) return;
  draft.messages = messages.flatMap((each, index) => {
    if (index === first) return [{ ...message, content }];
    return prompt.place === 'instead' && isSystem(each) ? [] : [each];
  });
}

function inField(field: string, merge: (prompt: SystemPrompt, own: Json | undefined) => Json | undefined) {
  return (draft: JsonObject, prompt: SystemPrompt): void => {
    const value = merge(prompt, draft[field]);
    if (value !== undefined) draft[field] = value;
  };
}

function inGemini(draft: JsonObject, prompt: SystemPrompt): void {
  const name = draft.system_instruction === undefined ? 'systemInstruction' : 'system_instruction';
  const own = draft[name];
  const given = typeof own === 'string' ? [{ text: own }] : isObject(own) ? own.parts : undefined;
  const parts = mergedParts(prompt, given);
  if (parts) draft[name] = { ...(isObject(own) && own), parts };
}

const places: Partial<Record<ProtocolId, (draft: JsonObject, prompt: SystemPrompt) => void>> = {
  'openai-chat': inMessages,
  'cohere-chat': inMessages,
  'openai-responses': inField('instructions', mergedText),
  'anthropic-messages': inField('system', mergedText),
  'bedrock-converse': inField('system', mergedParts),
  gemini: inGemini,
};

/** Writes a channel's instructions into a request of the protocol. Protocols without instructions are unchanged. */
export function writeSystemPrompt(draft: JsonObject, protocol: ProtocolId, prompt: SystemPrompt): void {
  places[protocol]?.(draft, prompt);
}

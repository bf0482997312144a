import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';

/** A message as Perplexity takes it. */
interface Turn {
  role: string;
  content: Json;
}

/**
 * Puts the messages into Perplexity's form: a role and a content each, instructions in front, and user and assistant
 * in turns, so that neighbours of one role become one. Leaves the body alone where they already have that form.
 */
export function adaptMessages(body: JsonObject): void {
  if (!Array.isArray(body.messages)) return;
  const turns = body.messages.flatMap((message) => (isObject(message) ? readTurn(message) : []));
  const instructions = turns.filter(({ role }) => role === 'system');
  const talk = turns.filter(({ role }) => role !== 'system');
  const written = [...joined(instructions), ...joined(talk)];
  if (JSON.stringify(written) !== JSON.stringify(body.messages)) body.messages = written;
}

/** A message with what Perplexity has no field for told in words: calls of tools, and what they answered. */
function readTurn(message: JsonObject): Turn[] {
  const { role } = message;
  if (role === 'tool' || role === 'function') {
    return [
      {
        role: 'user',
        content: `[${textOf(message.name) || 'the call'} answered: ${wordsOf(message.content)}]`,
      },
    ];
  }
  const calls = objectsIn(message.tool_calls).map(({ function: called }) => {
    const { name, arguments: input } = isObject(called) ? called : {};
    return `[called ${textOf(name)} with ${textOf(input)}]`;
  });
  const content =
    calls.length === 0 ? (message.content ?? '') : [wordsOf(message.content), ...calls].join('\n').trim();
  return [{ role: role === 'developer' ? 'system' : textOf(role), content }];
}

function joined(turns: readonly Turn[]): JsonObject[] {
  const written: Turn[] = [];
  for (const turn of turns) {
    const last = written.at(-1);
    if (last?.role === turn.role) last.content = joinContent(last.content, turn.content);
    else written.push({ ...turn });
  }
  return written.map(({ role, content }) => ({ role, content }));
}

/** Texts with a blank line between them; parts one list behind the other. */
function joinContent(before: Json, after: Json): Json {
  if (typeof before === 'string' && typeof after === 'string') {
    return [before, after].filter((words) => words !== '').join('\n\n');
  }
  return [...partsOf(before), ...partsOf(after)];
}

const partsOf = (content: Json): Json[] => {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
};

const wordsOf = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : objectsIn(content)
        .map(({ text }) => textOf(text))
        .join('\n');

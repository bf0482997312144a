import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isObject, type Json, type JsonObject, textOf } from '../../lib/json.ts';

// Required fields of an answer's objects, from the type declarations of the vendor's own client.

interface Declared {
  required: string[];
  /** Value of the `type` or `object` field, which identifies the object. */
  tag: string | undefined;
}

const folderOf = (name: string): string => dirname(createRequire(import.meta.url).resolve(name));

/** Required members of the interfaces in a declaration file. Those in a namespace are named `Outer.Inner`. */
function declaredIn(file: string): Map<string, Declared> {
  const found = new Map<string, Declared>();
  const outer: { indent: number; name: string }[] = [];
  let open: { indent: number; declared: Declared } | undefined;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const indent = line.length - line.trimStart().length;
    while (outer.length > 0 && line.trim() === '}' && outer.at(-1)!.indent === indent) outer.pop();
    if (open && line.trim() === '}' && indent === open.indent) open = undefined;
    const scope = /^ *(?:export )?(?:declare )?namespace (\w+) \{/.exec(line);
    if (scope) outer.push({ indent, name: scope[1]! });
    const begun = /^ *(?:export )?interface (\w+).*\{$/.exec(line);
    if (begun) {
      open = { indent, declared: { required: [], tag: undefined } };
      found.set([...outer.map(({ name }) => name), begun[1]!].join('.'), open.declared);
    }
    const member = open?.indent === indent - 4 ? /^ *(\w+): (.*)$/.exec(line) : null;
    if (!open || !member) continue;
    open.declared.required.push(member[1]!);
    const literal = /^'([^']*)';$/.exec(member[2]!);
    if (literal && (member[1] === 'type' || member[1] === 'object')) open.declared.tag = literal[1]!;
  }
  return found;
}

/** A client's schema: its declarations, and the types of members without a tag. */
interface Schema {
  declared: ReadonlyMap<string, Declared>;
  untagged: (key: string, holder: JsonObject) => string | undefined;
  /** Members that the client itself creates, or that would break later turns at vendors with a copy of the protocol. */
  excepted: ReadonlySet<string>;
}

function schemaOf(
  client: string,
  files: readonly string[],
  untagged: Schema['untagged'],
  ...excepted: string[]
): Schema {
  const all = files.flatMap((file) => [...declaredIn(join(folderOf(client), 'resources', `${file}.d.ts`))]);
  // Excludes request types, which are in the same files.
  const declared = new Map(
    all.filter(([name]) => !/Param|^ResponseInput|Request|Create|Config|^Easy/.test(name)),
  );
  return { declared, untagged, excepted: new Set(excepted) };
}

/** Published schemas of answers, by the caller's protocol. Google declares every field as optional. */
export const publishedSchemas = {
  'openai-chat': schemaOf(
    'openai',
    ['chat/completions/completions', 'completions'],
    (key, { object, type }) => {
      if (key === 'choices')
        return object === 'chat.completion' ? 'ChatCompletion.Choice' : 'ChatCompletionChunk.Choice';
      if (key === 'message' && type === undefined) return 'ChatCompletionMessage';
      return key === 'usage' ? 'CompletionUsage' : undefined;
    },
  ),
  'openai-responses': schemaOf(
    'openai',
    ['responses/responses'],
    (key) =>
      ({
        usage: 'ResponseUsage',
        input_tokens_details: 'ResponseUsage.InputTokensDetails',
        output_tokens_details: 'ResponseUsage.OutputTokensDetails',
      })[key],
    'output_text',
  ),
  'anthropic-messages': schemaOf(
    '@anthropic-ai/sdk',
    ['messages/messages', 'shared'],
    (key, { type }) => {
      if (key === 'usage') return type === 'message_delta' ? 'MessageDeltaUsage' : 'Usage';
      return key === 'delta' && type === 'message_delta' ? 'RawMessageDeltaEvent.Delta' : undefined;
    },
    'caller',
  ),
} satisfies Partial<Record<string, Schema>>;

/** Missing required fields of an answer or of an event, each with the path to its object. */
export function missingFields(schema: Schema, answer: JsonObject): string[] {
  const missing: string[] = [];
  const check = (value: JsonObject, path: string, name: string | undefined): void => {
    const word = textOf(value.object) || textOf(value.type);
    const named = name === undefined ? [] : [schema.declared.get(name)!];
    const tagged = [...schema.declared.values()].filter(({ tag }) => tag !== undefined && tag === word);
    const lists = (named.length > 0 ? named : tagged).map(({ required }) =>
      required.filter((field) => value[field] === undefined && !schema.excepted.has(field)),
    );
    const [least] = lists.toSorted((a, b) => a.length - b.length);
    for (const field of least ?? []) missing.push(`${path}.${field}`);
    for (const [key, member] of Object.entries(value)) walk(member, `${path}.${key}`, key, value);
  };
  const walk = (value: Json | undefined, path: string, key: string, holder: JsonObject): void => {
    if (Array.isArray(value)) for (const each of value) walk(each, `${path}[]`, key, holder);
    // Skips the fields that repeat the caller's request.
    else if (isObject(value) && key !== 'instructions' && key !== 'input' && key !== 'metadata')
      check(value, path, schema.untagged(key, holder));
  };
  check(answer, textOf(answer.type) || textOf(answer.object), undefined);
  return missing;
}

import type { ReferenceData } from '@tollgate/contract';
import { type Field, fieldOf, fieldsOf, type Schema } from './schema-text.ts';

interface Reference {
  $ref: string;
}
interface Example {
  summary?: string;
  value: unknown;
}
interface Media {
  schema: Schema;
  examples?: Record<string, Example | Reference>;
}
interface Answer {
  description: string;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-access': string;
  'x-refusals'?: string[];
  parameters?: {
    name: string;
    in: 'path' | 'query' | 'header';
    required: boolean;
    schema: Schema;
    description?: string;
    example?: string | number | boolean;
  }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer | Reference>;
}

/** An OpenAPI document in the server's format. */
export interface ReferenceDocument extends ReferenceData {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    examples: Record<string, Example>;
    responses: Record<string, Answer>;
  };
}

/** An error by its code. */
interface Refusal {
  code: string;
  words: string;
}

/** A call on the page. */
export interface Call {
  id: string;
  part: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  access: string;
  parameters: Field[];
  body: Field[];
  /** Media type and example of the body; null for calls without one. */
  request: { type: string; example: unknown } | null;
  /** Examples of path and query parameters. */
  values: Record<string, string | number | boolean | undefined>;
  /** The answer on success. */
  answer: { status: string; type: string; example?: unknown; fields: Field[] };
  refusals: Refusal[];
  /** Other statuses with their meanings. */
  others: { status: string; words: string }[];
}

/** A call in the list. Its facts are read when it is opened: reading those of all calls would delay the page. */
export interface ListedCall extends Pick<Call, 'id' | 'part' | 'method' | 'path' | 'summary' | 'access'> {
  read: () => Call;
}

/** A part of the reference, with its calls. */
export interface Part {
  id: string;
  title: string;
  calls: ListedCall[];
}

const nameOf = ({ $ref }: Reference): string => $ref.split('/').at(-1) ?? '';

/** Follows references within the document. */
function resolver({ components }: ReferenceDocument) {
  const schema = (each: Schema): Schema =>
    each.$ref === undefined ? each : (components.schemas[nameOf({ $ref: each.$ref })] ?? {});
  const answer = (each: Answer | Reference): Answer =>
    '$ref' in each ? (components.responses[nameOf(each)] ?? { description: '' }) : each;
  return { schema, answer };
}

type Resolver = ReturnType<typeof resolver>;

/** The schema of a success: the envelope's data for console calls, the whole answer for others. */
function successOf({ responses }: Operation, resolve: Resolver): Call['answer'] {
  const status = '200' in responses ? '200' : (Object.keys(responses).at(-1) ?? '');
  const found = responses[status];
  const [type, media] = Object.entries((found && resolve.answer(found).content) ?? {})[0] ?? [];
  const whole = media?.schema.oneOf?.[0] ?? media?.schema;
  const data = whole?.properties?.success ? whole.properties.data : whole;
  const example = media?.examples?.example;
  return {
    status,
    type: type ?? '',
    fields: fieldsOf(data, resolve.schema),
    ...(example && 'value' in example && { example: example.value }),
  };
}

interface Place {
  path: string;
  method: string;
  operation: Operation;
}

const listedCall = ({ path, method, operation }: Place): Omit<ListedCall, 'read'> => ({
  id: operation.operationId,
  part: operation.tags[0] ?? '',
  method: method.toUpperCase(),
  path,
  summary: operation.summary,
  access: operation['x-access'],
});

function readCall(document: ReferenceDocument, resolve: Resolver, place: Place): Call {
  const { operation } = place;
  const { parameters = [], requestBody } = operation;
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const example = media?.examples?.example;
  const answer = successOf(operation, resolve);
  return {
    ...listedCall(place),
    description: operation.description,
    parameters: parameters.map(({ name, in: position, required, schema, description }) => ({
      ...fieldOf(name, { ...schema, ...(description !== undefined && { description }) }, required),
      place: position,
    })),
    body: fieldsOf(media?.schema, resolve.schema),
    request:
      type === undefined ? null : { type, example: example && 'value' in example ? example.value : {} },
    values: Object.fromEntries(
      parameters.filter((each) => each.in !== 'header').map((each) => [each.name, each.example]),
    ),
    answer,
    refusals: (operation['x-refusals'] ?? []).map((code) => ({
      code,
      words: document.components.examples[code]?.summary ?? code,
    })),
    others: Object.entries(operation.responses)
      .filter(([status]) => status !== answer.status)
      .map(([status, each]) => ({ status, words: resolve.answer(each).description })),
  };
}

/** The document for the page: parts in their order, each with its calls. */
export function readReference(document: ReferenceDocument): Part[] {
  const resolve = resolver(document);
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const place = { path, method, operation };
      return { ...listedCall(place), read: () => readCall(document, resolve, place) };
    }),
  );
  return document.tags.map(({ name, description }) => ({
    id: name,
    title: description,
    calls: calls.filter(({ part }) => part === name),
  }));
}

/** The parts with calls that contain each of the words in path, summary or method. */
export function matchingParts(
  parts: readonly Part[],
  { words, part }: { words: string; part: string },
): Part[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ method, path, summary }: ListedCall, title: string): boolean => {
    const text = `${method} ${path} ${summary} ${title}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  return parts
    .filter(({ id }) => part === '' || id === part)
    .map((each) => ({ ...each, calls: each.calls.filter((call) => fits(call, each.title)) }))
    .filter(({ calls }) => calls.length > 0);
}

import {
  currentPasswordHeader,
  errors,
  fieldName,
  hasFieldName,
  type Language,
  type Route,
} from '@tollgate/contract';
import { messageExamples, refusalExamples, type RefusalWriter } from './refusal-writer.ts';
import { refusalsByStatus, refusalsOf } from './refusals.ts';
import { deriveExample } from './shape/example.ts';
import type { JsonSchema, SchemaWriter } from './shape/schemas.ts';
import type {
  Answer,
  MediaType,
  Operation,
  Parameter,
  PlacedOperation,
  WriteContext,
} from './shape/types.ts';
import { accessWords, operationWords } from './words.ts';

/** Input for describing a console call. */
export interface ConsoleContext extends WriteContext {
  schemas: SchemaWriter;
  refused: RefusalWriter;
}

/** A console call, and its name in the reference. */
export interface NamedRoute {
  route: Route;
  /** Part of the reference. */
  tag: string;
  /** Its name within the part. */
  name: string;
}

const slotsOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

const methods = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

/** Permitted callers, in OpenAPI's form: one of the entries is enough, and an entry requires all of its schemes. */
function securityOf(access: Route['access']): Operation['security'] {
  const known = [
    { session: [], user: [] },
    { accessToken: [], user: [] },
  ];
  if (access === 'public') return [];
  return access === 'try-user' ? [{}, { session: [] }, { accessToken: [] }] : known;
}

/** Sorts the fields of a call by path, query and body. */
function placeFields({ route }: NamedRoute, context: ConsoleContext) {
  const { properties, required } = context.schemas.input(route.input);
  const slots = slotsOf(route.path);
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(route.method);
  const places = {
    path: [] as Parameter[],
    query: [] as Parameter[],
    body: {} as Record<string, JsonSchema>,
  };
  const example = (route.example ?? {}) as Record<string, unknown>;
  for (const [name, bare] of Object.entries(properties)) {
    const named = route.fieldNames?.[name] ?? (hasFieldName(name) ? fieldName(name) : undefined);
    const schema = named ? { title: named[context.language], ...bare } : bare;
    const isSlot = slots.includes(name);
    // The result of the human check is in the query, for every method.
    if (hasBody && !isSlot && !(name === 'turnstile' && route.humanCheck)) {
      places.body[name] = schema;
      continue;
    }
    const place = isSlot ? 'path' : 'query';
    places[place].push({
      name,
      in: place,
      required: isSlot || required.includes(name),
      schema,
      ...(example[name] !== undefined && { example: example[name] }),
    });
  }
  return { ...places, required: required.filter((name) => Object.hasOwn(places.body, name)) };
}

function writeBody(named: NamedRoute, body: Record<string, JsonSchema>, required: readonly string[]) {
  if (Object.keys(body).length === 0) return undefined;
  const example = (named.route.example ?? {}) as Record<string, unknown>;
  const value = Object.fromEntries(Object.entries(example).filter(([name]) => Object.hasOwn(body, name)));
  const schema = { type: 'object', properties: body, ...(required.length > 0 && { required }) };
  return {
    required: required.length > 0,
    content: { 'application/json': { schema, examples: { example: { value } } } },
  };
}

/** The schema of a success: the envelope, or its replacement. */
function successSchema({ route }: NamedRoute, { schemas, language }: ConsoleContext): JsonSchema {
  const data = schemas.output(route.data);
  if (route.bare === 'data') return data;
  const extra = route.extra === undefined ? {} : ((schemas.output(route.extra).properties ?? {}) as object);
  const head =
    route.bare === 'message'
      ? { message: { const: 'success' } }
      : { success: { const: true }, message: { type: 'string', examples: [route.done?.[language] ?? ''] } };
  const properties = { ...head, data, ...extra };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const refusalSchema = (route: Route): JsonSchema => ({
  $ref: `#/components/schemas/${route.bare === 'message' ? 'MessageRefusal' : 'Refusal'}`,
});

/** The call's own refusals with status 200. */
function ownRefusals(route: Route, language: Language): NonNullable<MediaType['examples']> {
  const codes = (route.errors ?? []).filter((code) => errors[code].status === 200);
  return route.bare === 'message' ? messageExamples(codes, language) : refusalExamples(codes);
}

function writeResponses(named: NamedRoute, context: ConsoleContext): Operation['responses'] {
  const { route } = named;
  const { language, components, refused } = context;
  const schema = successSchema(named, context);
  const success: Answer = {
    description: operationWords.successOrRefusal[language],
    content: {
      'application/json': {
        schema: { oneOf: [schema, refusalSchema(route)] },
        examples: {
          example: { value: deriveExample(schema, components) },
          ...ownRefusals(route, language),
        },
      },
    },
  };
  const others = [...refusalsByStatus(route)].filter(([status]) => status !== 200);
  return {
    200: success,
    ...Object.fromEntries(others.map(([status, codes]) => [status, refused.refer(status, codes)])),
  };
}

/** Describes access and requirements beside the fields. */
function describeCall({ route }: NamedRoute, { language }: ConsoleContext): string {
  return [
    accessWords[route.access],
    ...(route.reauthenticate ? [operationWords.secondFactor] : []),
    ...(route.reauthenticate === 'always' ? [operationWords.reauthenticate] : []),
    ...(route.humanCheck ? [operationWords.humanCheck] : []),
    ...(route.critical ? [operationWords.critical] : []),
  ]
    .map((words) => words[language])
    .join(language === 'zh' ? '' : ' ');
}

/** A console call as an operation of the reference. */
export function consoleOperation(named: NamedRoute, context: ConsoleContext): PlacedOperation {
  const { route, tag, name } = named;
  const { path, query, body, required } = placeFields(named, context);
  const password: Parameter = {
    name: currentPasswordHeader,
    in: 'header',
    required: false,
    description: operationWords.password[context.language],
    schema: { type: 'string' },
  };
  const parameters = [...path, ...query, ...(route.reauthenticate === 'always' ? [password] : [])];
  const requestBody = writeBody(named, body, required);
  return {
    path: route.path.replace(/:(\w+)/g, '{$1}'),
    method: methods[route.method],
    operation: {
      operationId: `${tag}-${name}`,
      tags: [tag],
      summary: route.summary[context.language],
      description: describeCall(named, context),
      security: securityOf(route.access),
      'x-access': route.access,
      'x-refusals': refusalsOf(route),
      ...(parameters.length > 0 && { parameters }),
      ...(requestBody && { requestBody }),
      responses: writeResponses(named, context),
    },
  };
}

import { deriveExample } from './shape/example.ts';
import type { MediaType, Operation, PlacedOperation, WriteContext } from './shape/types.ts';
import { accessWords, operationWords } from './words.ts';
import type { RelayErrors } from './relay-errors.ts';
import type { RelayRoute } from '../relay/index.ts';
import type { RelayCall } from './relay/call.ts';

/** Input for describing a relay call. */
export interface RelayContext extends WriteContext {
  errors: RelayErrors;
  /** Access of a path, and the protocol of its callers. */
  routeOf: (call: Pick<RelayCall, 'method' | 'path'>) => Pick<RelayRoute, 'access' | 'inbound'>;
}

/** Usual place of the key by protocol; every call accepts every place. */
const keyPlaces: Record<RelayCall['tag'], string> = {
  openai: 'key',
  figures: 'key',
  anthropic: 'apiKey',
  gemini: 'googleKey',
  midjourney: 'key',
  suno: 'key',
  kling: 'key',
  tools: 'key',
};

/** Required credential: a key, a session of the console, or none. */
function securityOf({ tag }: RelayCall, access: RelayRoute['access']): Operation['security'] {
  if (access === 'public') return [];
  return access === 'key' ? [{ [keyPlaces[tag]]: [] }] : [{ session: [], user: [] }];
}

const methods = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

function writeAnswers(call: RelayCall, { language, components }: RelayContext): Operation['responses'] {
  const { schema, type = 'application/json', status = 200 } = call.answer;
  const media: MediaType = {
    schema,
    ...(type === 'application/json' && {
      examples: { example: { value: deriveExample(schema, components) } },
    }),
  };
  const events = { 'text/event-stream': { schema: { type: 'string' } } };
  return {
    [status]: {
      description: operationWords[status === 200 ? 'success' : 'refusal'][language],
      content: { [type]: media, ...(call.streams && events) },
    },
  };
}

/** A relay call as an operation of the reference. */
export function relayOperation(call: RelayCall, context: RelayContext): PlacedOperation {
  const { language, errors } = context;
  const { request, tag } = call;
  const { access, inbound } = context.routeOf(call);
  const shownAccess = access === 'element' ? 'session' : access;
  const type = request?.isForm ? 'multipart/form-data' : 'application/json';
  return {
    path: call.path,
    method: methods[call.method],
    operation: {
      operationId: `${tag}-${call.name}`,
      tags: [tag],
      summary: call.summary[language],
      description: accessWords[shownAccess][language],
      security: securityOf(call, access),
      'x-access': shownAccess,
      ...(call.parameters && { parameters: [...call.parameters] }),
      ...(request && {
        requestBody: {
          required: true,
          content: { [type]: { schema: request.schema, examples: { example: { value: request.example } } } },
        },
      }),
      responses: {
        ...errors.refer(tag, inbound, language),
        ...writeAnswers(call, context),
      },
    },
  };
}

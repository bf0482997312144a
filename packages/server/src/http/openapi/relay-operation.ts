import type { Inbound } from '../../relay/types/index.ts';
import type { MediaType, Operation, PlacedOperation, WriteContext } from './types.ts';
import { accessWords, operationWords } from './words.ts';
import type { RelayErrors } from './relay-errors.ts';
import type { RelayCall } from './relay-call.ts';

/** What a relay call is written with. */
export interface RelayContext extends WriteContext {
  errors: RelayErrors;
  /** The protocol that the caller speaks at a path. */
  inboundOf: (call: Pick<RelayCall, 'method' | 'path'>) => Inbound;
}

/** Where the clients of each protocol put their keys; any place is good for any call. */
const keyPlaces: Record<RelayCall['tag'], string> = {
  openai: 'key',
  anthropic: 'apiKey',
  gemini: 'googleKey',
};

function answersOf(call: RelayCall, { language, answers }: RelayContext): Operation['responses'] {
  const { schema, type = 'application/json', status = 200 } = call.answer;
  const recorded = answers[`${call.method} ${call.path}`];
  const media: MediaType = {
    schema,
    ...(recorded?.type === 'application/json' && { examples: { example: { value: recorded.body } } }),
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
  const type = request?.isForm ? 'multipart/form-data' : 'application/json';
  return {
    path: call.path,
    method: call.method === 'GET' ? 'get' : 'post',
    operation: {
      operationId: `${tag}-${call.name}`,
      tags: [tag],
      summary: call.summary[language],
      description: accessWords.key[language],
      security: [{ [keyPlaces[tag]]: [] }],
      'x-access': 'key',
      ...(call.parameters && { parameters: [...call.parameters] }),
      ...(request && {
        requestBody: {
          required: true,
          content: { [type]: { schema: request.schema, examples: { example: { value: request.example } } } },
        },
      }),
      responses: {
        ...errors.refer(tag, context.inboundOf(call), language),
        ...answersOf(call, context),
      },
    },
  };
}

import { entryOf } from '../../../lib/json.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Endpoint } from '../../types/index.ts';
import {
  adaptClaude,
  claudeHeaders,
  countable,
  countedTokens,
  withoutThread,
} from '../../protocols/anthropic-messages/index.ts';
import { anthropicUrl } from './address.ts';
import { readGuestError } from './errors.ts';

/** Replaces Anthropic's header in the body. */
const version = 'vertex-2023-10-16';

/** True for models of Anthropic, by our names and by Google's. */
export const isClaude = (model: string): boolean => model.startsWith('claude');

/** Names with a second edition that differs only by date. */
const secondEditionNames: Readonly<Record<string, string>> = {
  'claude-3-5-sonnet-20241022': 'claude-3-5-sonnet-v2@20241022',
};

/** Google's name of a model, with the date after an @. */
const vertexName = (model: string): string =>
  entryOf(secondEditionNames, model) ?? model.replace(/-(\d{8})$/, '@$1');

/** The address has model and method. */
function inPlace(body: JsonObject): void {
  delete body.model;
  // Google's own payment options replace it.
  delete body.service_tier;
  body.anthropic_version = version;
}

/** Claude on Vertex AI: Messages, with the model in the address. */
export const claude: Endpoint = {
  protocol: 'anthropic-messages',
  serves: isClaude,
  isDialect: true,
  // Of Anthropic's hosted tools only the search is available.
  hosts: ['web-search', 'computer', 'shell', 'text-editor', 'memory', 'tool-search', 'other'],
  url: (channel, { model, stream }) =>
    anthropicUrl(
      channel,
      model,
      `${encodeURIComponent(model)}:${stream ? 'streamRawPredict?alt=sse' : 'rawPredict'}`,
    ),
  headers(_channel, call) {
    const { 'anthropic-version': _version, ...headers } = claudeHeaders(call);
    return headers;
  },
  adapt(body, context) {
    withoutThread(body);
    const adapted = adaptClaude(body, context);
    inPlace(body);
    return { ...adapted, model: vertexName(adapted.model ?? context.model) };
  },
  readError: readGuestError,
  countTokens: {
    url: (channel, { model }) => anthropicUrl(channel, model, 'count-tokens:rawPredict'),
    write: (body, model) => ({ ...countable(body), model }),
    read: countedTokens,
  },
};

import { defineProvider } from '../../model/define-provider.ts';
import { callOf } from '../../model/openai/calls.ts';
import { adaptReasoning, adaptResponses } from '../../model/openai/effort.ts';
import { joinUrl, namesIn } from '../../model/openai/endpoints.ts';
import type { Channel } from '../../model/channel.ts';
import type { Address, Endpoint, RealtimeEndpoint } from '../../model/provider.ts';
import type { ProtocolId } from '../../model/protocol.ts';

/** Channels older than this name their deployments without dots (2025-05-10 00:00 UTC, wire-facts 4.1). */
const dotsAllowedSince = 1_746_835_200;
/** For the list of models, where no request names a version. */
const listVersion = '2024-10-21';

/** The version of the API: the caller's, else the channel's, else the site's. */
function apiVersion(channel: Channel, address: Pick<Address, 'query' | 'options'>): string {
  const asked = new URLSearchParams(address.query).get('api-version') ?? '';
  if (asked !== '') return asked;
  return channel.other === '' ? address.options.azureApiVersion : channel.other;
}

/** The deployment that serves a model. */
const deploymentOf = (channel: Channel, model: string): string =>
  channel.createdTime < dotsAllowedSince ? model.replaceAll('.', '') : model;

const task = (protocol: ProtocolId, name: string): Endpoint => ({
  protocol,
  url(channel, address) {
    const deployment = encodeURIComponent(deploymentOf(channel, address.model));
    const path = `/openai/deployments/${deployment}/${name}${callOf(protocol, address.path)}`;
    const version = encodeURIComponent(apiVersion(channel, address));
    return `${joinUrl(channel, path, '/openai/deployments')}?api-version=${version}`;
  },
  ...(protocol === 'openai-chat' && { adapt: adaptReasoning }),
});

/** Responses have one path for all deployments; the body names the deployment as its model. */
const responses: Endpoint = {
  protocol: 'openai-responses',
  url: (channel) => `${channel.baseUrl}/openai/v1/responses?api-version=preview`,
  adapt(body, context) {
    const adapted = adaptResponses(body, context);
    return { ...adapted, model: deploymentOf(context.channel, adapted?.model ?? context.model) };
  },
};

/** Sockets have one path, too: the query names the deployment (wire-facts 4.1). */
const realtime: RealtimeEndpoint = {
  url(channel, address) {
    const query = new URLSearchParams({
      deployment: deploymentOf(channel, address.model),
      'api-version': apiVersion(channel, address),
    });
    return `${joinUrl(channel, '/openai/realtime')}?${query.toString()}`;
  },
  keyInProtocol: false,
};

/** Azure OpenAI: OpenAI bodies, one path for each deployment, the key in a header of its own. */
export const azure = defineProvider({
  type: 3,
  id: 'azure',
  name: 'Azure OpenAI',
  ownedBy: 'openai',
  hints: { key: '', other: 'API version, e.g. 2025-04-01-preview; empty for the default' },
  headers: (channel) => ({ 'api-key': channel.key }),
  endpoints: {
    'openai-chat': task('openai-chat', 'chat/completions'),
    'openai-completions': task('openai-completions', 'completions'),
    'openai-embeddings': task('openai-embeddings', 'embeddings'),
    'openai-images': task('openai-images', 'images'),
    'openai-audio': task('openai-audio', 'audio'),
    'openai-responses': responses,
  },
  realtime,
  streamUsage: true,
  fetchModels: {
    request: (channel) => ({
      url: `${channel.baseUrl}/openai/models?api-version=${encodeURIComponent(channel.other || listVersion)}`,
      headers: { 'api-key': channel.key },
    }),
    read: (body) => namesIn(body, 'data', 'id'),
  },
});

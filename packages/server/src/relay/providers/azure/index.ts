import { defineProvider, callOf } from '../../provider-kit/index.ts';
import {
  adaptReasoning,
  adaptResponses,
  joinUrl,
  namesIn,
  refusesFunctions,
} from '../../families/openai/index.ts';
import { soraVideo } from '../../tasks/index.ts';
import type { Channel, Address, Endpoint, RealtimeEndpoint, ProtocolId } from '../../types/index.ts';

/**
 * Channels created before this time name their deployments without dots (2025-05-10 00:00 UTC,
 * docs/compatibility.md#channel-types).
 */
const dotsAllowedSince = 1_746_835_200;
/** For the list of models, whose request names no version. */
const listVersion = '2024-10-21';

/** The API version: the caller's, otherwise the channel's, otherwise the site's. */
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
  ...(protocol === 'openai-chat' && {
    adapt: adaptReasoning,
    refuses: (_channel, model, facts) => refusesFunctions(model, facts),
  }),
});

/** Responses have one path for all deployments; the body names the deployment as its model. */
const responses: Endpoint = {
  protocol: 'openai-responses',
  namesPages: true,
  url: (channel) => `${channel.baseUrl}/openai/v1/responses?api-version=preview`,
  adapt(body, context) {
    const adapted = adaptResponses(body, context);
    return { ...adapted, model: deploymentOf(context.channel, adapted?.model ?? context.model) };
  },
};

/** The body of a compaction has none of the fields of reasoning. */
const compact: Endpoint = {
  protocol: 'openai-compact',
  url: (channel) => `${channel.baseUrl}/openai/v1/responses/compact?api-version=preview`,
  adapt: (_body, { channel, model }) => ({ model: deploymentOf(channel, model) }),
};

/** Sockets also have one path: the query names the deployment (docs/compatibility.md#channel-types). */
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

/** Videos have one path for all deployments, like responses. */
const video = soraVideo({
  url: (channel, behind) => `${channel.baseUrl}/openai/v1/videos${behind}?api-version=preview`,
  headers: (channel) => ({ 'api-key': channel.key }),
  model: deploymentOf,
});

/** Azure OpenAI: OpenAI bodies, one path for each deployment, the key in a separate header. */
export const azure = defineProvider({
  type: 3,
  id: 'azure',
  name: 'Azure OpenAI',
  ownedBy: 'openai',
  hints: {
    other: {
      zh: 'API 版本，例如 2025-04-01-preview；留空使用默认版本',
      en: 'API version, e.g. 2025-04-01-preview; empty for the default',
    },
    address: {
      placeholder: 'https://NAME.openai.azure.com',
      meaning: { zh: 'Azure 资源的终结点', en: 'The endpoint of the Azure resource' },
    },
  },
  headers: (channel) => ({ 'api-key': channel.key }),
  endpoints: {
    'openai-chat': task('openai-chat', 'chat/completions'),
    'openai-completions': task('openai-completions', 'completions'),
    'openai-embeddings': task('openai-embeddings', 'embeddings'),
    'openai-images': task('openai-images', 'images'),
    'openai-audio': task('openai-audio', 'audio'),
    'openai-responses': responses,
    'openai-compact': compact,
  },
  realtime,
  tasks: { video },
  containersUrl: (channel, behind) => `${channel.baseUrl}/openai/v1/containers${behind}?api-version=preview`,
  files: {
    api: 'openai',
    url: (channel, behind) => `${channel.baseUrl}/openai/v1/files${behind}?api-version=preview`,
  },
  batches: {
    api: 'openai',
    priceFactor: 0.5,
    url: (channel, behind) => `${channel.baseUrl}/openai/v1/batches${behind}?api-version=preview`,
    // Only Responses have their version in the name.
    pathOf: (path) => (path === '/v1/responses' ? path : path.replace(/^\/v1/, '')),
    modelOf: deploymentOf,
  },
  fetchModels: {
    request: (channel) => ({
      url: `${channel.baseUrl}/openai/models?api-version=${encodeURIComponent(channel.other || listVersion)}`,
      headers: { 'api-key': channel.key },
    }),
    read: (body) => namesIn(body, 'data', 'id'),
  },
});

import { callOf, defineProvider, tidyRerank } from '../../provider-kit/index.ts';
import { adaptReasoning, adaptResponses, listModels, openaiProtocols } from '../../families/openai/index.ts';
import { type Channel, type Endpoint, type ProtocolId, refuse } from '../../types/index.ts';
import { filledHeaders, filledPath, readTemplate } from './template.ts';
import { templateFault } from './template-fault.ts';

/** Default path of each call. */
const defaultPaths: Partial<Record<ProtocolId, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-completions': '/v1/completions',
  'openai-embeddings': '/v1/embeddings',
  'openai-moderations': '/v1/moderations',
  'openai-images': '/v1/images',
  'openai-audio': '/v1/audio',
  'openai-responses': '/v1/responses',
  'cohere-rerank': '/v1/rerank',
};

const name = { zh: '高级自定义', en: 'Advanced custom' };

/** A channel with its own paths offers only these. */
function offers(channel: Channel, protocol: ProtocolId): boolean {
  const { paths } = readTemplate(channel);
  return Object.hasOwn(paths, protocol) || Object.keys(paths).length === 0;
}

const endpoint = (protocol: ProtocolId): Endpoint => ({
  protocol,
  refuses: (channel) => !offers(channel, protocol),
  url(channel, { model, path }) {
    if (!offers(channel, protocol)) throw refuse('channel_without_protocol', { provider: name, protocol });
    const template = readTemplate(channel).paths[protocol] ?? defaultPaths[protocol]!;
    return channel.baseUrl + filledPath(template, model) + callOf(protocol, path);
  },
  headers: (channel, { model }) => filledHeaders(readTemplate(channel), channel.key, model),
  ...(protocol === 'openai-chat' && { adapt: adaptReasoning }),
  ...(protocol === 'openai-responses' && { adapt: adaptResponses }),
  ...(protocol === 'cohere-rerank' && { rewrite: tidyRerank }),
});

/** The list of models, beside the chats. */
function modelsPath(channel: Channel): string {
  const chats = readTemplate(channel).paths['openai-chat'] ?? '';
  const start = chats.replace(/\/chat\/completions(\?.*)?$/, '');
  return start === chats || start.includes('{') ? '/v1/models' : `${start}/models`;
}

const offered = [...openaiProtocols, 'cohere-rerank'] as const;

/** Any server with OpenAI's bodies, at paths and with headers from the operator. */
export const customTemplate = defineProvider({
  type: 58,
  id: 'custom-template',
  name,
  ownedBy: 'openai',
  hints: {
    other: {
      zh: 'JSON，例如 {"paths": {"openai-chat": "/api/{model}/chat"}, "headers": {"x-api-key": "{key}"}}；留空则与 OpenAI 相同',
      en: 'JSON, e.g. {"paths": {"openai-chat": "/api/{model}/chat"}, "headers": {"x-api-key": "{key}"}}; as at OpenAI where nothing is given',
    },
  },
  faultIn: (other) => templateFault(other, offered),
  headers: () => ({}),
  endpoints: Object.fromEntries(offered.map((protocol) => [protocol, endpoint(protocol)])),
  fetchModels: {
    ...listModels(),
    request: (channel) => ({
      url: channel.baseUrl + modelsPath(channel),
      headers: filledHeaders(readTemplate(channel), channel.key, ''),
    }),
  },
});

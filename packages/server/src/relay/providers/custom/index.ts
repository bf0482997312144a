import { bearer, defineProvider, tidyRerank } from '../../provider-kit/index.ts';
import {
  openaiBalance,
  adaptReasoning,
  listModels,
  openaiProtocols,
  type OpenaiProtocol,
} from '../../families/openai/index.ts';
import type { Endpoint } from '../../types/index.ts';

/** The part of an address before the path, with the host. */
const beforePath = /^[^:]*:[/\\\s]*[^/\\?#]*/;

/** The address with the model's name in its path and query. A model's name never becomes part of a host. */
function addressFor(address: string, model: string): string {
  const end = beforePath.exec(address)?.[0].length ?? 0;
  return address.slice(0, end) + address.slice(end).replaceAll('{model}', encodeURIComponent(model));
}

/** The path of an OpenAI call at the end of an address, and the text after it. */
const callPath =
  /\/(?:chat\/completions|completions|embeddings|moderations|responses|rerank|images\/\w+|audio\/\w+)?\/*(?:[?#].*)?$/;

/** The list of models beside the call in an address; OpenAI's path on the same host if the address has no such call. */
function modelsBeside(address: string): string {
  const start = address.replace(callPath, '');
  const isVersion = /[^/]\/v\d\w*$/.test(start) && !start.includes('{');
  return isVersion ? `${start}/models` : `${beforePath.exec(address)?.[0] ?? address}/v1/models`;
}

/** Every call is sent to the operator's one address. */
const endpoint = (protocol: OpenaiProtocol): Endpoint => ({
  protocol,
  url: (channel, { model }) => addressFor(channel.baseUrl, model),
  ...(protocol === 'openai-chat' && { adapt: adaptReasoning }),
  ...(protocol === 'cohere-rerank' && { rewrite: tidyRerank }),
});

/** Only the operator knows the server's calls. Responses requests are translated to chat. */
const offered: OpenaiProtocol[] = [
  ...openaiProtocols.filter((protocol) => protocol !== 'openai-responses'),
  'cohere-rerank',
];

/** Any address with OpenAI's API: the base address is the full address of the call, and `{model}` in it is replaced. */
export const custom = defineProvider({
  type: 8,
  id: 'custom',
  name: { zh: '自定义', en: 'Custom' },
  ownedBy: 'openai',
  hints: {
    address: {
      placeholder: 'https://example.com/v1/chat/completions',
      meaning: {
        zh: '聊天请求的完整地址，其中的 {model} 会替换为模型名称',
        en: 'The whole address of the chat call; {model} in it stands for the model',
      },
    },
  },
  endpoints: Object.fromEntries(offered.map((protocol) => [protocol, endpoint(protocol)])),
  fetchModels: {
    ...listModels(),
    request: (channel) => ({ url: modelsBeside(channel.baseUrl), headers: bearer(channel) }),
  },
  balance: openaiBalance,
});

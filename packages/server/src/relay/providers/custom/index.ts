import { defineProvider } from '../../model/define-provider.ts';
import { openaiBalance } from '../../model/openai/balance.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { openaiPaths, type OpenaiProtocol } from '../../model/openai/endpoints.ts';
import type { Endpoint } from '../../model/provider.ts';
import { tidyRerank } from '../../model/rerank.ts';

/** Every call goes to the one address that the operator gave. */
const endpoint = (protocol: OpenaiProtocol): Endpoint => ({
  protocol,
  url: (channel, { model }) => channel.baseUrl.replaceAll('{model}', encodeURIComponent(model)),
  ...(protocol === 'openai-chat' && { adapt: adaptReasoning }),
  ...(protocol === 'cohere-rerank' && { rewrite: tidyRerank }),
});

/** Any address that speaks OpenAI: the base address is the full address of the call, `{model}` in it is replaced. */
export const custom = defineProvider({
  type: 8,
  id: 'custom',
  name: 'Custom',
  ownedBy: 'openai',
  endpoints: Object.fromEntries(
    (Object.keys(openaiPaths) as OpenaiProtocol[]).map((protocol) => [protocol, endpoint(protocol)]),
  ),
  balance: openaiBalance,
});

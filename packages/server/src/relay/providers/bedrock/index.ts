import { readAwsError } from '../../model/aws/errors.ts';
import type { Channel } from '../../model/channel.ts';
import { defineProvider } from '../../model/define-provider.ts';
import type { Address, Endpoint } from '../../model/provider.ts';
import { openConverseFrames } from '../../protocols/bedrock-converse/index.ts';
import { adaptInvoke, openInvokeFrames } from './invoke.ts';
import { keyForms, readKey, secretsIn } from './key.ts';
import { mediaAddresses } from './media.ts';
import { modelId } from './model-ids.ts';
import { bedrockModels } from './models.ts';
import { signCall } from './sign.ts';

/** Stands for the address of the key's own region. */
const usualBaseUrl = 'https://bedrock-runtime.us-east-1.amazonaws.com';

/** The address of a call; the id of a model is one segment of the path, its colons and slashes escaped. */
function callUrl(channel: Channel, { model }: Pick<Address, 'model'>, verb: string): string {
  const { region } = readKey(channel);
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const isOwn = channel.baseUrl !== '' && channel.baseUrl !== usualBaseUrl;
  const base = isOwn ? channel.baseUrl : `https://bedrock-runtime.${region}.${domain}`;
  return `${base}/model/${encodeURIComponent(modelId(model, region))}/${verb}`;
}

/** Bedrock understands Accept as the type of the model's own answer, and knows none for streams. */
const headers = (): Record<string, string> => ({ accept: '*/*', 'content-type': 'application/json' });

/** Claude by its own language. */
const invoke: Endpoint = {
  protocol: 'anthropic-messages',
  isDialect: true,
  serves: (model) => model.includes('claude'),
  url: (channel, address) =>
    callUrl(channel, address, address.stream ? 'invoke-with-response-stream' : 'invoke'),
  headers,
  adapt: adaptInvoke,
  filesNeeded: mediaAddresses,
  unframe: openInvokeFrames,
  readError: readAwsError,
};

/** All other models by the language that Bedrock has for them. */
const converse: Endpoint = {
  protocol: 'bedrock-converse',
  url: (channel, address) => callUrl(channel, address, address.stream ? 'converse-stream' : 'converse'),
  headers,
  unframe: openConverseFrames,
};

/** Amazon Bedrock, by keys that sign or by an API key of its own. */
export const bedrock = defineProvider({
  type: 33,
  id: 'bedrock',
  name: 'AWS Bedrock',
  baseUrl: usualBaseUrl,
  hints: { key: keyForms, other: '' },
  ownedBy: 'aws',
  models: bedrockModels,
  headers(channel): Record<string, string> {
    const key = readKey(channel);
    return key.kind === 'bearer' ? { authorization: `Bearer ${key.apiKey}` } : {};
  },
  secrets: secretsIn,
  endpoints: { 'anthropic-messages': invoke, 'bedrock-converse': converse },
  translateTo: ['anthropic-messages', 'bedrock-converse'],
  beforeSend: signCall,
});

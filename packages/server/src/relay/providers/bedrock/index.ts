import { readAwsError } from '../../families/amazon/index.ts';
import { type Address, type Channel, type Endpoint, type KeyPlace, originOf } from '../../types/index.ts';
import { defineProvider } from '../../provider-kit/index.ts';
import { openConverseFrames } from '../../protocols/bedrock-converse/index.ts';
import { adaptInvoke, openInvokeFrames } from './invoke.ts';
import { keyForms, readKey, secretsIn } from './key.ts';
import { mediaAddresses } from './media.ts';
import { knownNames, modelId } from './model-ids.ts';
import { AwsV4Signer } from 'aws4fetch';
import type { SendTools, UpstreamCall } from '../../types/index.ts';

/** `20261121T070000Z` */
const dateOf = (nowMs: number): string => new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');

/**
 * Signs a call with AWS Signature Version 4. The address, the content type and the whole body are signed; headers that
 * proxies may change are not. Calls with an API key send the key instead.
 */
async function signCall(
  call: UpstreamCall,
  channel: Channel,
  { nowMs }: Pick<SendTools, 'nowMs'>,
): Promise<UpstreamCall> {
  const key = readKey(channel);
  if (key.kind === 'bearer') return call;
  const { accessKeyId, secretAccessKey, sessionToken, region } = key;
  const contentType = call.headers['content-type'];
  const signer = new AwsV4Signer({
    method: call.method,
    url: call.url,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
    allHeaders: true,
    // A copy of the view, not of the bytes: the signer does not support Buffer.
    body: new Uint8Array(call.body.buffer as ArrayBuffer, call.body.byteOffset, call.body.length),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== '' && { sessionToken }),
    service: 'bedrock',
    region,
    datetime: dateOf(nowMs()),
  });
  const { headers } = await signer.sign();
  return { ...call, headers: { ...call.headers, ...Object.fromEntries(headers) } };
}

/** Names that are mapped to Bedrock's ids, and ids of other vendors' models; ids of all others can be typed in. */
const bedrockModels: readonly string[] = [
  ...knownNames,
  'us.meta.llama3-3-70b-instruct-v1:0',
  'us.meta.llama4-maverick-17b-instruct-v1:0',
  'us.deepseek.r1-v1:0',
  'us.mistral.pixtral-large-2502-v1:0',
  'mistral.mistral-large-2407-v1:0',
  'openai.gpt-oss-120b-1:0',
  'openai.gpt-oss-20b-1:0',
  'qwen.qwen3-32b-v1:0',
];

/** Placeholder for the address of the key's region. */
const defaultBaseUrl = 'https://bedrock-runtime.us-east-1.amazonaws.com';

const isOwn = (baseUrl: string): boolean => baseUrl !== '' && baseUrl !== defaultBaseUrl;

/** The address of a call; a model's id is one segment of the path, with its colons and slashes escaped. */
function callUrl(channel: Channel, { model }: Pick<Address, 'model'>, verb: string): string {
  const { region } = readKey(channel);
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const base = isOwn(channel.baseUrl) ? channel.baseUrl : `https://bedrock-runtime.${region}.${domain}`;
  return `${base}/model/${encodeURIComponent(modelId(model, region))}/${verb}`;
}

/** If the base address is the default, the key names its own region. */
const keyOrigins = ({ baseUrl }: KeyPlace): string[] =>
  isOwn(baseUrl) ? [originOf(baseUrl)] : ['https://bedrock-runtime.<region of the key>'];

/** Bedrock reads Accept as the type of the model's own answer, and has none for streams. */
const headers = (): Record<string, string> => ({ accept: '*/*', 'content-type': 'application/json' });

/** Claude, in its own protocol. */
const invoke: Endpoint = {
  protocol: 'anthropic-messages',
  isDialect: true,
  // Anthropic's hosted tools that Bedrock lacks.
  hosts: ['computer', 'shell', 'text-editor', 'memory', 'tool-search', 'other'],
  serves: (model) => model.includes('claude'),
  url: (channel, address) =>
    callUrl(channel, address, address.stream ? 'invoke-with-response-stream' : 'invoke'),
  headers,
  adapt: adaptInvoke,
  filesNeeded: mediaAddresses,
  unframe: openInvokeFrames,
  readError: readAwsError,
};

/** All other models, in Bedrock's own protocol. */
const converse: Endpoint = {
  protocol: 'bedrock-converse',
  url: (channel, address) => callUrl(channel, address, address.stream ? 'converse-stream' : 'converse'),
  headers,
  unframe: openConverseFrames,
};

/** Amazon Bedrock, with signing keys or Bedrock's own API keys. */
export const bedrock = defineProvider({
  type: 33,
  id: 'bedrock',
  name: 'AWS Bedrock',
  baseUrl: defaultBaseUrl,
  hints: {
    key: keyForms,
    address: {
      placeholder: 'https://bedrock-runtime.REGION.amazonaws.com',
      meaning: { zh: '留空则由密钥中的区域决定', en: "Leave empty: the key's region decides" },
    },
  },
  ownedBy: 'aws',
  models: bedrockModels,
  headers(channel): Record<string, string> {
    const key = readKey(channel);
    return key.kind === 'bearer' ? { authorization: `Bearer ${key.apiKey}` } : {};
  },
  keyOrigins,
  secrets: secretsIn,
  endpoints: { 'anthropic-messages': invoke, 'bedrock-converse': converse },
  translateTo: ['anthropic-messages', 'bedrock-converse'],
  beforeSend: signCall,
});

import { knownNames } from './model-ids.ts';

/** Names that are mapped to Bedrock's ids, and ids of other vendors' models; ids of all others can be typed in. */
export const bedrockModels: readonly string[] = [
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

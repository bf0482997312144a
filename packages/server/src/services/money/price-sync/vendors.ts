/** One spelling for vendors that lists spell differently. */
const spellings: Readonly<Record<string, string>> = {
  'x-ai': 'xai',
  gemini: 'google',
  'google-ai': 'google',
  mistralai: 'mistral',
  moonshot: 'moonshotai',
  'moonshotai-cn': 'moonshotai',
  qwen: 'alibaba',
  dashscope: 'alibaba',
  'alibaba-cn': 'alibaba',
  zai: 'zhipuai',
  'z-ai': 'zhipuai',
  'zhipuai-coding-plan': 'zhipuai-coding-plan',
  'amazon-bedrock': 'bedrock',
  bedrock_converse: 'bedrock',
  cohere_chat: 'cohere',
  volcengine: 'bytedance',
  voyageai: 'voyage',
};

/** Makers of models. All other sellers in a list are resellers with prices of their own. */
const makers = new Set(
  `openai anthropic google xai deepseek mistral moonshotai alibaba zhipuai minimax cohere perplexity bytedance stepfun
   baichuan tencent baidu voyage jina_ai ai21`.split(/\s+/),
);

/** A vendor in our spelling. */
export function vendorOf(spelling: string): string {
  const name = spelling.toLowerCase();
  if (name.startsWith('vertex_ai')) return 'google';
  return Object.hasOwn(spellings, name) ? (spellings[name] ?? name) : name;
}

/** True for vendors that sell models at list prices. */
export const isMaker = (vendor: string): boolean => makers.has(vendor);

/** The maker of each family of model names. Makers also resell models of others at their own prices. */
const families: readonly (readonly [name: RegExp, maker: string])[] = [
  [/^(gpt-|chatgpt|o[134]\b|dall-e|whisper|tts-|text-embedding-(3|ada))/i, 'openai'],
  [/^claude/i, 'anthropic'],
  [/^(gemini|gemma|imagen|veo-)/i, 'google'],
  [/^grok/i, 'xai'],
  [/^deepseek/i, 'deepseek'],
  [/^(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|voxtral|pixtral)/i, 'mistral'],
  [/^(kimi|moonshot)/i, 'moonshotai'],
  [/^(qwen|qwq|qvq|wanx?\d)/i, 'alibaba'],
  [/^(glm|cogview|chatglm)/i, 'zhipuai'],
  [/^(minimax|abab)/i, 'minimax'],
  [/^(command|c4ai|embed-|rerank-)/i, 'cohere'],
  [/^sonar/i, 'perplexity'],
  [/^(doubao|seed)/i, 'bytedance'],
  [/^(hunyuan|hy\d)/i, 'tencent'],
  [/^ernie/i, 'baidu'],
];

/** The maker of a model by its name; undefined if the name does not show it. */
export const makerOf = (model: string): string | undefined =>
  families.find(([name]) => name.test(model))?.[1];

/** One spelling for the vendors that lists spell differently. */
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

/** Who makes models; everybody else in a list sells those of others, at prices of their own. */
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

/** True for vendors whose price of a model is its list price. */
export const isMaker = (vendor: string): boolean => makers.has(vendor);

/** Whose models go by which names; makers sell one another's models too, at prices of their own. */
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

/** Who makes a model, by its name; undefined where the name does not tell. */
export const makerOf = (model: string): string | undefined =>
  families.find(([name]) => name.test(model))?.[1];

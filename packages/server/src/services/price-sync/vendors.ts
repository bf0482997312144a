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

import { texts } from '../../lib/i18n.ts';

export const text = texts({
  page: { zh: '首页内容', en: 'Home page' },
  headline: { zh: '一个地址，所有模型', en: 'Every model behind one address' },
  lead: {
    zh: '{name} 把您的请求转发给各家模型供应商，记下每一笔用量，账目精确到单次调用。',
    en: '{name} relays your calls to model providers and keeps exact records of every one.',
  },
  start: { zh: '获取令牌', en: 'Get a key' },
  open: { zh: '打开控制台', en: 'Open the console' },
  docs: { zh: '阅读文档', en: 'Read the docs' },
  address: { zh: '接口地址', en: 'Base URL' },
  unchanged: {
    zh: '把它填进 OpenAI、Anthropic 或 Gemini 的客户端，其余代码不必改动。',
    en: 'Use it in any OpenAI, Anthropic or Gemini client. The rest of your code stays the same.',
  },
  noModels: {
    zh: '本站目前还没有可以调用的对话模型；示例中的 MODEL 代表模型名称。',
    en: 'This site offers no chat model yet; MODEL stands for the name of one.',
  },
  modelsHidden: {
    zh: '登录后可以看到有哪些模型；示例中的 MODEL 代表模型名称。',
    en: 'Log in to see the models; MODEL stands for the name of one.',
  },
  modelsUnknown: {
    zh: '模型列表暂时无法加载；示例中的 MODEL 代表模型名称。',
    en: 'The models could not be loaded; MODEL stands for the name of one.',
  },
  moneyTitle: { zh: '账目精确', en: 'Exact to the token' },
  money: {
    zh: '先预留、再结算，每次调用都有一张收据：用量、单价、金额。',
    en: 'Funds are held before a call and settled after it, with a receipt of every token and price.',
  },
  routeTitle: { zh: '避开故障', en: 'Around failures' },
  route: {
    zh: '出错的渠道会暂停使用，由其他渠道服务；首字之后绝不重试，不会重复收费。',
    en: 'A channel that fails rests while others serve. Once an answer has started, nothing is retried or charged twice.',
  },
  ownTitle: { zh: '自己掌握', en: 'Self-hosted' },
  own: {
    zh: '部署在自己的机器上，不保存对话的提示词与回答。',
    en: 'It runs on your own machine. Prompts and answers of chats are not stored.',
  },
});

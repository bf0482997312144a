import { texts } from '../../lib/i18n.ts';

export const text = texts({
  model: { zh: '模型', en: 'Model' },
  noModels: { zh: '还没有可用的模型', en: 'No models available yet' },
  prompt: { zh: '内容', en: 'Message' },
  placeholder: { zh: '问点什么…', en: 'Ask something…' },
  sample: { zh: '你好！请用一句话介绍一下自己。', en: 'Hello! Introduce yourself in one sentence.' },
  send: { zh: '发送', en: 'Send' },
  stop: { zh: '停止', en: 'Stop' },
  answer: { zh: '回答', en: 'Answer' },
  waiting: { zh: '等待回答…', en: 'Waiting for the answer…' },
  stopped: { zh: '已停止', en: 'Stopped' },
  firstToken: { zh: '首字 {time}', en: 'first token {time}' },
  total: { zh: '共 {time}', en: '{time} total' },
  tokens: { zh: '输入 {input} · 输出 {output}', en: '{input} in · {output} out' },
  cost: { zh: '费用', en: 'Cost' },
  requestId: { zh: '请求 ID：{id}', en: 'Request ID: {id}' },
});

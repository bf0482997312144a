/** Models of Qianfan's second version (docs/compatibility.md#default-model-lists). */
export const models: readonly string[] = [
  'ernie-5.1',
  'ernie-5.0',
  'ernie-5.0-thinking-latest',
  'ernie-4.5-turbo-128k',
  'ernie-4.5-turbo-32k',
  'ernie-4.5-turbo-latest',
  'ernie-4.5-turbo-20260402',
  'ernie-4.5-turbo-vl',
  'ernie-4.5-turbo-vl-32k',
  'ernie-4.5-turbo-vl-latest',
  'ernie-x1.1',
  'ernie-char-fiction-8k',
  'ernie-novel-8k',
  'qianfan-8b',
  'qianfan-70b',
  'deepseek-v3.2-think',
];

import type { Words } from '../words.ts';

/** Token name in rows of channel tests: stored in Chinese, answered in the reader's language. */
export const testTokenWords: Words = { zh: '模型测试', en: 'Model test' };

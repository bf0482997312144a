import type { Words } from '../words.ts';

/** What rows of channel tests bear in place of a token's name: kept in Chinese, answered in the reader's language. */
export const testTokenWords: Words = { zh: '模型测试', en: 'Model test' };

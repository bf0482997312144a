import { defineProvider } from '../../provider-kit/index.ts';
import { klingVideo } from '../../tasks/kling/index.ts';

/** Kling makes only videos, as tasks; its key signs a token, or is a reseller's. */
export const kling = defineProvider({
  type: 50,
  id: 'kling',
  name: { zh: '可灵', en: 'Kling' },
  baseUrl: 'https://api.klingai.com',
  hints: {
    key: {
      zh: 'AccessKey|SecretKey，或 sk- 开头的密钥',
      en: 'AccessKey|SecretKey, or a key that begins with sk-',
    },
  },
  models: [
    'kling-v1',
    'kling-v1-6',
    'kling-v2-master',
    'kling-v2-1',
    'kling-v2-1-master',
    'kling-v2-5-turbo',
    'kling-v2-6',
  ],
  endpoints: {},
  testable: false,
  secrets: ({ key }) => [key, ...key.split('|')].filter((part) => part !== ''),
  tasks: { video: klingVideo },
});

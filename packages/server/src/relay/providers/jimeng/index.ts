import { defineProvider } from '../../provider-kit/index.ts';
import { jimengVideo } from '../../tasks/jimeng/index.ts';

/** Jimeng makes only videos, as tasks of Volcano Engine's visual service with signed calls. */
export const jimeng = defineProvider({
  type: 51,
  id: 'jimeng',
  name: { zh: '即梦', en: 'Jimeng' },
  baseUrl: 'https://visual.volcengineapi.com',
  hints: { key: 'AccessKeyId|SecretAccessKey' },
  models: ['jimeng_t2v_v30', 'jimeng_i2v_first_v30', 'jimeng_t2v_v30_1080p', 'jimeng_ti2v_v30_pro'],
  headers: () => ({}),
  endpoints: {},
  testable: false,
  secrets: ({ key }) => [key, ...key.split('|')].filter((part) => part !== ''),
  tasks: { video: jimengVideo },
});

import { defineProvider } from '../../provider-kit/index.ts';
import { viduVideo } from '../../tasks/vidu/index.ts';

/** Vidu makes only videos, as tasks; its key is a `Token`. */
export const vidu = defineProvider({
  type: 52,
  id: 'vidu',
  name: 'Vidu',
  baseUrl: 'https://api.vidu.cn',
  models: ['viduq1', 'viduq2', 'viduq3-turbo', 'viduq3-pro', 'vidu2.0'],
  headers: (channel) => ({ authorization: `Token ${channel.key}` }),
  endpoints: {},
  testable: false,
  tasks: { video: viduVideo },
});

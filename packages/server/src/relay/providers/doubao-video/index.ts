import { defineProvider } from '../../provider-kit/index.ts';
import { arkVideo } from '../../tasks/index.ts';

/** Doubao's videos (Seedance) on Ark, as a channel of their own. */
export const doubaoVideo = defineProvider({
  type: 54,
  id: 'doubao-video',
  name: { zh: '豆包视频', en: 'Doubao video' },
  baseUrl: 'https://ark.cn-beijing.volces.com',
  hints: { key: { zh: '方舟的 API Key', en: 'a key of Ark' } },
  models: [
    'doubao-seedance-2-5-260628',
    'doubao-seedance-2-0-260128',
    'doubao-seedance-2-0-fast-260128',
    'doubao-seedance-2-0-mini-260615',
    'doubao-seedance-1-5-pro-251215',
    'doubao-seedance-1-0-pro-250528',
    'doubao-seedance-1-0-pro-fast-251015',
    'doubao-seedance-1-0-lite-t2v-250428',
    'doubao-seedance-1-0-lite-i2v-250428',
  ],
  endpoints: {},
  testable: false,
  tasks: { video: arkVideo },
});

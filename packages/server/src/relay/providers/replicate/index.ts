import { defineProvider } from '../../provider-kit/index.ts';
import { replicateVideo } from '../../tasks/replicate/index.ts';

/** Replicate hosts models of many makers; its models of videos are asked here. */
export const replicate = defineProvider({
  type: 56,
  id: 'replicate',
  name: 'Replicate',
  baseUrl: 'https://api.replicate.com',
  hints: {
    key: { zh: 'API Token，以 r8_ 开头', en: 'an API token, which begins with r8_' },
  },
  models: ['bytedance/seedance-1-lite', 'kwaivgi/kling-v2.1'],
  endpoints: {},
  testable: false,
  tasks: { video: replicateVideo },
});

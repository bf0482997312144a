import { group, integer, lines, toggle } from './define.ts';

export const sensitive = group(
  'logs',
  { zh: '屏蔽词过滤设置', en: 'Sensitive words' },
  {
    CheckSensitiveEnabled: toggle({
      default: true,
      label: { zh: '启用屏蔽词过滤功能', en: 'Filter sensitive words' },
      help: { zh: '含有屏蔽词的请求会被拒绝', en: 'Requests that contain one are refused' },
    }),
    CheckSensitiveOnPromptEnabled: toggle({
      default: true,
      label: { zh: '启用 Prompt 检查', en: 'Check prompts' },
      help: { zh: '检查请求中的文本', en: 'Checks the text of requests' },
    }),
    SensitiveWords: lines({
      default: ['test_sensitive'],
      label: { zh: '屏蔽词列表', en: 'Words' },
      help: { zh: '一行一个屏蔽词，不区分大小写', en: 'One per line; case-insensitive' },
    }),
    StopOnSensitiveEnabled: toggle({
      default: true,
      unused: true,
      label: { zh: '检测到屏蔽词时立刻停止生成', en: 'Stop when a word appears' },
      help: { zh: '仅为兼容而保留，没有作用', en: 'Kept for compatibility, without effect' },
    }),
    StreamCacheQueueLength: integer({
      default: 0,
      min: 0,
      max: 1_000_000,
      unused: true,
      label: { zh: '流模式下的缓存队列长度', en: 'Stream queue length' },
      help: { zh: '仅为兼容而保留，没有作用', en: 'Kept for compatibility, without effect' },
    }),
  },
);

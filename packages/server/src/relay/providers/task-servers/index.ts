import { bearer, defineProvider } from '../../provider-kit/index.ts';
import { joinUrl, listModels } from '../../families/openai/index.ts';
import {
  arkVideo,
  drawingModels,
  midjourneyTasks,
  songModels,
  soraVideo,
  sunoTasks,
} from '../../tasks/index.ts';
import type { Provider } from '../../types/index.ts';

const proxy = (type: number, id: string, name: string, baseUrl: string): Provider =>
  defineProvider({
    type,
    id,
    name,
    baseUrl,
    ownedBy: 'midjourney',
    models: drawingModels,
    headers: ({ key }) => ({ 'mj-api-secret': key }),
    endpoints: {},
    testable: false,
    tasks: { drawing: midjourneyTasks },
  });

/** midjourney-proxy, which draws through an account. */
export const midjourney = proxy(2, 'midjourney-proxy', 'Midjourney Proxy', 'https://oa.api2d.net');
/** Its larger variant, with buttons, masks and faces. */
export const midjourneyPlus = proxy(
  5,
  'midjourney-proxy-plus',
  'Midjourney Proxy Plus',
  'https://api.openai-sb.com',
);

/** Songs and lyrics, through the operator's own Suno server. */
export const suno = defineProvider({
  type: 36,
  id: 'suno',
  name: 'Suno API',
  models: songModels,
  endpoints: {},
  testable: false,
  tasks: { music: sunoTasks },
});

/**
 * OpenAI's videos, for servers with the same calls. OpenAI itself shut its Videos API and the models of Sora 2 down on
 * 24 September 2026 (developers.openai.com/api/docs/models/sora-2), so no model is offered.
 */
export const sora = defineProvider({
  type: 55,
  id: 'sora',
  name: 'Sora',
  baseUrl: 'https://api.openai.com',
  ownedBy: 'openai',
  hints: {
    address: {
      placeholder: 'https://videos.example.com',
      meaning: {
        zh: 'OpenAI 已于 2026 年 9 月 24 日停止 Sora 2 和视频接口：请填写提供相同 /v1/videos 接口的其他服务地址',
        en: 'OpenAI shut its Videos API down on 24 September 2026: enter the address of a server with the same calls (/v1/videos)',
      },
    },
  },
  endpoints: {},
  testable: false,
  tasks: {
    video: soraVideo({ url: (channel, behind) => joinUrl(channel, `/v1/videos${behind}`), headers: bearer }),
  },
  fetchModels: listModels(),
});

/** Doubao's videos (Seedance) on Ark, as a separate channel type. */
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

/** Any server of tools that speaks the Model Context Protocol over HTTP; the models of its channels are its tools. */
export const toolServer = defineProvider({
  type: 9002,
  id: 'tool-server',
  name: { zh: 'MCP 工具服务器', en: 'MCP tool server' },
  hints: {
    key: {
      zh: '服务器的令牌，以 Bearer 发送；需要其他请求头时用请求头覆盖',
      en: 'its token, sent as Bearer; other headers by header override',
    },
    address: {
      placeholder: 'https://tools.example.com/mcp',
      meaning: {
        zh: '服务器的 Streamable HTTP 完整地址；用户在 /mcp 使用这些工具',
        en: 'The full address of its Streamable HTTP; users find its tools at /mcp',
      },
    },
  },
  endpoints: {},
  isToolServer: true,
});

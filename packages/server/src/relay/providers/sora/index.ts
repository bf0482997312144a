import { bearer, defineProvider } from '../../provider-kit/index.ts';
import { joinUrl, listModels } from '../../families/openai/index.ts';
import { soraVideo } from '../../tasks/index.ts';

/**
 * OpenAI's videos, for servers that have the same calls. OpenAI itself shut its Videos API and the models of Sora 2 down on
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
        zh: 'OpenAI 已于 2026 年 9 月 24 日停止 Sora 2 和视频接口，且没有替代接口。请填写提供相同 /v1/videos 接口的其他服务地址',
        en: 'OpenAI shut Sora 2 and its Videos API down on 24 September 2026, without a successor. Enter the address of another server that has the same calls (/v1/videos)',
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

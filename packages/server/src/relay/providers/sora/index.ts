import { bearer, defineProvider } from '../../provider-kit/index.ts';
import { joinUrl, listModels } from '../../families/openai/index.ts';
import { soraVideo } from '../../tasks/sora/index.ts';

/** OpenAI's videos, and those of servers that have the same calls, as a channel of their own. */
export const sora = defineProvider({
  type: 55,
  id: 'sora',
  name: 'Sora',
  baseUrl: 'https://api.openai.com',
  ownedBy: 'openai',
  endpoints: {},
  testable: false,
  tasks: {
    video: soraVideo({ url: (channel, behind) => joinUrl(channel, `/v1/videos${behind}`), headers: bearer }),
  },
  fetchModels: listModels(),
});

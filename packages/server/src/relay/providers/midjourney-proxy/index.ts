import { defineProvider } from '../../provider-kit/index.ts';
import { drawingModels, midjourneyTasks } from '../../tasks/index.ts';
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

/** midjourney-proxy, which draws by way of an account. */
export const midjourney = proxy(2, 'midjourney-proxy', 'Midjourney Proxy', 'https://oa.api2d.net');
/** Its larger sister, with buttons, masks and faces. */
export const midjourneyPlus = proxy(
  5,
  'midjourney-proxy-plus',
  'Midjourney Proxy Plus',
  'https://api.openai-sb.com',
);

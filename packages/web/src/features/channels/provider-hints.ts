import { texts, type Text } from '../../lib/i18n.ts';

/**
 * What the registry says about keys and extra values of a provider, in both languages. A hint that is not here is a
 * format (`APIKey-AppId`) and needs no translation.
 */
const translations: readonly Text[] = Object.values(
  texts({
    sandboxKey: { zh: '任意文字，沙盒不需要密钥', en: 'any text; the sandbox asks for none' },
    azureVersion: {
      zh: 'API 版本，例如 2025-04-01-preview；留空使用默认版本',
      en: 'API version, e.g. 2025-04-01-preview; empty for the default',
    },
    difyKey: { zh: '单个应用的密钥：app-…', en: 'the key of one application: app-…' },
    workersKey: { zh: '可访问 Workers AI 的 API 令牌', en: 'an API token with access to Workers AI' },
    workersAccount: { zh: '账户 ID', en: 'id of the account' },
    cozeKey: { zh: '个人访问令牌：pat_…', en: 'a personal access token: pat_…' },
    cozeBot: { zh: '智能体（Bot）的 ID', en: 'id of the bot' },
    plugin: { zh: '插件名称；不使用则留空', en: 'name of a plugin; empty for none' },
    qianfanKey: { zh: 'APIKey 或 APIKey|AppId', en: 'APIKey or APIKey|AppId' },
    arkKey: { zh: '方舟的 API Key；语音合成填 appid|token', en: 'a key of Ark; for speech appid|token' },
    bedrockKey: {
      zh: 'AccessKey|SecretKey|Region，或 APIKey|Region',
      en: 'AccessKey|SecretKey|Region, or APIKey|Region',
    },
    vertexKey: {
      zh: '服务账号的 JSON 文件，或 API Key（仅限 Gemini）',
      en: 'the JSON file of a service account, or an API key (Gemini alone)',
    },
    vertexRegion: {
      zh: '区域，例如 global；或 JSON {"model": "region", "default": "region"}',
      en: 'region, e.g. global, or JSON {"model": "region", "default": "region"}',
    },
  }),
);

const byEnglish = new Map(translations.map((hint) => [hint.en, hint]));

/** A hint of the registry as a text of both languages. */
export const hintText = (hint: string): Text => byEnglish.get(hint) ?? { zh: hint, en: hint };

/** What the field of the address says where it is not simply another host, by provider. */
const addresses: Readonly<Record<string, { placeholder: string; hint: Text }>> = {
  azure: {
    placeholder: 'https://NAME.openai.azure.com',
    hint: { zh: 'Azure 资源的终结点', en: 'The endpoint of the Azure resource' },
  },
  custom: {
    placeholder: 'https://example.com/v1/chat/completions',
    hint: {
      zh: '聊天请求的完整地址，其中的 {model} 会替换为模型名称',
      en: 'The whole address of the chat call; {model} in it stands for the model',
    },
  },
  xinference: {
    placeholder: 'http://localhost:9997',
    hint: { zh: '自行部署的服务地址', en: 'The address of your own server' },
  },
  vertex: {
    placeholder: 'https://REGION-aiplatform.googleapis.com',
    hint: { zh: '留空则由区域决定', en: 'Leave empty: the region decides' },
  },
  bedrock: {
    placeholder: 'https://bedrock-runtime.REGION.amazonaws.com',
    hint: { zh: '留空则由密钥中的区域决定', en: "Leave empty: the key's region decides" },
  },
};

/** The address field of a provider; undefined where its own address, or none, is all there is to say. */
export const addressHint = (id: string) => (Object.hasOwn(addresses, id) ? addresses[id] : undefined);

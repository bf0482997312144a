/**
 * A drawing for each provider, as paths in a square of 24. It shows the name or the product, never the logo, which
 * belongs to its owner. A provider without a drawing has the plug.
 */
export const providerMarks: Readonly<Record<string, string>> = {
  // Models of language
  openai: 'M12 4l7 4v8l-7 4-7-4V8zM12 9v6M9 12h6',
  'openai-max': 'M12 4l7 4v8l-7 4-7-4V8zM8.5 12h7M12 8.5v7M9.5 9.5l5 5',
  azure: 'M3 17h18M6 13a6 6 0 0 1 12 0M12 3v1.5M4.5 6.5l1 1M19.5 6.5l-1 1M8 21h8',
  anthropic: 'M12 4v4M12 16v4M4 12h4M16 12h4M6.5 6.5l2.5 2.5M15 15l2.5 2.5M17.5 6.5L15 9M9 15l-2.5 2.5',
  gemini: 'M8 4a8 8 0 0 0 0 16M16 4a8 8 0 0 1 0 16M8 8h8M8 16h8',
  vertex: 'M12 5l8 14H4zM12 5v14M8 12h8',
  bedrock: 'M4 8l8-4 8 4-8 4zM4 12l8 4 8-4M4 16l8 4 8-4',
  deepseek: 'M3 9c3-3 6 3 9 0s6 3 9 0M3 14c3-3 6 3 9 0s6 3 9 0M12 17v4M10 19l2 2 2-2',
  mistral: 'M3 8h11a3 3 0 1 0-3-3M3 12h15a3 3 0 1 1-3 3M3 16h7a2.5 2.5 0 1 1-2.5 2.5',
  moonshot: 'M18 14.5A7.5 7.5 0 1 1 9.5 6a6 6 0 0 0 8.5 8.5zM17 4v4M15 6h4',
  xai: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM4.5 16.5c2.5 4 17-4.5 15-9s-17.5 5-15 9z',
  cohere: 'M9 6a5 5 0 1 0 0 10A5 5 0 0 0 9 6zM15 8a5 5 0 1 0 0 10 5 5 0 0 0 0-10z',
  perplexity: 'M9 9a3 3 0 1 1 4.5 2.600c-1 .6-1.5 1.4-1.5 2.900M12 18v.5M4 12a8 8 0 1 1 16 0 8 8 0 0 1-16 0z',
  minimax: 'M4 20V14M8 20V8M12 20V4M16 20V10M20 20v-4',
  zhipu: 'M12 12a2 2 0 1 1 2 2 4 4 0 1 1-4-4 6 6 0 1 1 6 6M4 20h6',
  'zhipu-v4': 'M12 12a2 2 0 1 1 2 2 4 4 0 1 1-4-4 6 6 0 1 1 6 6M4 20h4M12 20h2',
  ali: 'M3 19l6-11 4 7 2.5-4L21 19zM17 6h.01',
  baidu: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.500M8 11h6',
  'baidu-v2': 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.500M8 9.500h6M8 12.500h6',
  tencent: 'M4 6h16v10h-9l-4 4v-4H4zM8 11h.01M12 11h.01M16 11h.01',
  volcengine: 'M3 20l5.5-10h7L21 20zM10 6l1 2M14 4l-1 4M12 13v4',
  'doubao-video': 'M4 7h11v10H4zM15 11l5-3v8l-5-3M8 12h3',
  xunfei:
    'M12 4a2.5 2.5 0 0 0-2.5 2.500v5a2.5 2.5 0 0 0 5 0v-5A2.5 2.5 0 0 0 12 4zM6 11a6 6 0 0 0 12 0M12 17v3M9 20h6',
  siliconflow: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  lingyiwanwu: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v8',
  ai360: 'M12 4a8 8 0 1 0 8 8M20 4v5h-5M12 8v4l3 2',
  'moka-ai': 'M6 9h10v6a4 4 0 0 1-4 4h-2a4 4 0 0 1-4-4zM16 10h2a2 2 0 0 1 0 5h-2M9 3v3M13 3v3',
  codex: 'M4 5h16v14H4zM8 10l2.5 2.500L8 15M13 15h3',
  // Gateways, platforms and machines of one's own
  openrouter: 'M3 12h5l4-6h6M8 12l4 6h6M16 3.500L19 6l-3 2.500M16 15.500l3 2.5-3 2.5',
  cloudflare: 'M7 18a4 4 0 0 1-.5-8 6 6 0 0 1 11.5 1.500A3.5 3.5 0 0 1 17.5 18zM10 14h4',
  ollama: 'M4 11l8-7 8 7M6 9.500V20h12V9.500M10 20v-5h4v5',
  xinference: 'M4 6h16v4H4zM4 14h16v4H4zM7.5 8h.01M7.5 16h.01M12 8h5M12 16h5',
  replicate: 'M4 4h11v11H4zM9 19h11V8',
  submodel: 'M12 4v4M6 12h12M6 12v3M12 8v7M18 12v3M4 15h4v4H4zM10 15h4v4h-4zM16 15h4v4h-4z',
  aigc2d: 'M4 4h16v16H4zM4 15l5-5 5 5 3-3 3 3',
  ails: 'M5 20V5l7 6 7-6v15',
  aiproxy: 'M3 12h6M15 12h6M9 8h6v8H9zM18 9l3 3-3 3',
  api2gpt: 'M4 8h12l-3-3M20 16H8l3 3',
  ohmygpt: 'M5 15a7 7 0 1 1 14 0M5 15h4v4M19 15h-4v4',
  // Applications of one's own, and retrieval
  coze: 'M12 4l7 4v8l-7 4-7-4V8zM5 8l7 4 7-4M12 12v8',
  dify: 'M5 4v16M5 12h7a4 4 0 0 0 4-4V6M16 6l-2 2M16 6l2 2M12 12a4 4 0 0 1 4 4v3M16 19l-2-2M16 19l2-2',
  fastgpt: 'M13 3L5 14h6l-1 7 9-12h-6z',
  jina: 'M10 14a4 4 0 0 1 0-5.500L12.5 6A4 4 0 0 1 18 11.500l-1.5 1.500M14 10a4 4 0 0 1 0 5.500L11.5 18A4 4 0 0 1 6 12.500L7.5 11',
  // Pictures, songs and films
  jimeng: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01',
  kling: 'M4 5h16v14H4zM8 5v14M16 5v14M4 9h4M4 15h4M16 9h4M16 15h4',
  vidu: 'M4 6h16v12H4zM10 9.500v5l4.5-2.500z',
  sora: 'M3 15c2-4 5-4 6 0M8 12c2-5 7-5 8.5 0M15 15c1-3 4-3 6 0M3 19h18',
  suno: 'M4 10v4M8 7v10M12 4v16M16 8v8M20 10.500v3',
  // Neither
  'tool-server':
    'M14 4a4 4 0 0 0-3.500 6L4 16.500 7.500 20l6.500-6.500a4 4 0 0 0 6-4.500l-3 2-2-2 2-3a4 4 0 0 0-3-2z',
  sandbox: 'M4 9h16l-1.5 11h-13zM8 9V6a4 4 0 0 1 8 0v3',
  custom: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  'custom-template': 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4M10 12h4',
};

/** AI21's, Cohere's, Jina's, Mistral's, Perplexity's and Voyage's models. Form and source: index.ts. */
export const others = `
ai21:
jamba-1.5 jamba-1.5-large jamba-1.5-mini jamba-large-1.6 jamba-large-1.7 jamba-mini-1.6 jamba-mini-1.7 | 256000 - -
cohere:
command-a-03-2025 | 256000 8000 t
command-a-plus-05-2026 | 128000 64000 vtrs
command-r-08-2024 command-r-plus-08-2024 command-r7b-12-2024 | 128000 4096 t
c4ai-aya-expanse-32b | 128000 4000 -
embed-v4.0 embed-v5.0-fast embed-v5.0-pro | 128000 - e
embed-english-light-v3.0 embed-english-v3.0 embed-multilingual-light-v3.0 embed-multilingual-v3.0 | 512 - e
mistral:
zai-glm-5 zai-glm-5-2 zai-glm-5-3 zai-glm-latest | 1048576 131072 trsc
zai-glm-5-3-flash | 1048576 131072 vtrsc
mistral-large-4 mistral-large-4-0 | 1048576 - vtrsc
labs-leanstral-1-5 labs-leanstral-1-5-1 | 262144 131072 ts
magistral-medium-latest magistral-small-latest mistral-medium mistral-medium-2604 mistral-medium-3 mistral-medium-3-5 mistral-medium-3.5 mistral-medium-latest mistral-small-2603 mistral-small-latest mistral-vibe-cli-fast mistral-vibe-cli-latest mistral-vibe-cli-with-tools | 262144 - vtrs
ministral-14b-2512 ministral-14b-latest ministral-3-14b-2512 ministral-3-8b-2512 ministral-8b-2512 ministral-8b-latest mistral-large-2512 mistral-large-3 mistral-large-latest | 262144 - vts
codestral-mamba-latest | 256000 - -
devstral-latest devstral-medium-latest devstral-small-latest mistral-code-agent-latest | 256000 - trs
ministral-3-3b-2512 ministral-3b-2512 ministral-3b-latest | 131072 - vts
open-mistral-nemo | 128000 - s
codestral-2508 codestral-latest mistral-code-fim-latest mistral-code-latest | 128000 - ts
pixtral-large-latest | 128000 - vts
voxtral-small-2507 voxtral-small-latest | 32768 - tsh
mistral-tiny | 32000 8191 s
mistral-small | 32000 8191 trs
codestral-embed codestral-embed-2505 mistral-embed mistral-embed-2312 | 8192 - e
voxtral-mini-2602 voxtral-mini-latest voxtral-mini-realtime-2602 voxtral-mini-realtime-latest voxtral-mini-transcribe-3 voxtral-mini-transcribe-3-0 voxtral-mini-transcribe-realtime-2602 voxtral-mini-transcribe-realtime-3 voxtral-mini-transcribe-realtime-3-0 voxtral-mini-transcribe-realtime-latest voxtral-small-transcribe-3 voxtral-small-transcribe-3-0 | - - h
voxtral-mini-tts-2603 voxtral-mini-tts-3 voxtral-mini-tts-3-0 voxtral-mini-tts-latest | - - o
perplexity:
sonar-pro | 200000 8000 w
llama-3.1-70b-instruct llama-3.1-8b-instruct | 131072 - -
sonar-deep-research sonar-reasoning sonar-reasoning-pro | 128000 - rw
sonar | 128000 - w
pplx-embed-context-v1-0.6b pplx-embed-context-v1-4b pplx-embed-v1-0.6b pplx-embed-v1-4b | 32768 - e
codellama-34b-instruct codellama-70b-instruct sonar-medium-chat sonar-small-chat | 16384 - -
sonar-medium-online sonar-small-online | 12000 - -
pplx-7b-chat | 8192 - -
llama-2-70b-chat mistral-7b-instruct mixtral-8x7b-instruct pplx-70b-chat pplx-70b-online pplx-7b-online | 4096 - -
voyage:
voyage-context-3 voyage-context-4 | 120000 - e
voyage-3 voyage-3-large voyage-3-lite voyage-3.5 voyage-3.5-lite voyage-4 voyage-4-large voyage-4-lite voyage-code-3 voyage-code-4 voyage-finance-2 voyage-multilingual-2 voyage-multimodal-3 voyage-multimodal-3.5 | 32000 - e
voyage-code-2 voyage-large-2 voyage-large-2-instruct voyage-law-2 | 16000 - e
voyage-lite-01 | 4096 - e
voyage-2 voyage-lite-02-instruct | 4000 - e
`;

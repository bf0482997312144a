/** Google's models (ai.google.dev/gemini-api/docs/models). Form and source: index.ts. */
export const google = `
google:
gemini-exp-1206 | 2097152 8192 vtrshpmwc
lyria-realtime-exp | 1048576 65536 o
gemini-omni-1.1-flash | 1048576 65536 vrhm
gemini-3.8-flash-cyber | 1048576 65536 vrshpmc
gemini-3-flash-preview gemini-3.1-flash-lite gemini-3.1-flash-lite-preview gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools gemini-3.5-flash gemini-3.5-flash-lite gemini-3.6-flash gemini-3.7-flash gemini-3.8-flash gemini-flash-latest gemini-flash-lite-latest gemini-pro-latest | 1048576 65536 vtrshpmwc
deep-research-max-preview-04-2026 deep-research-preview-04-2026 | 1048576 65536 vw
gemini-robotics-er-1.5-preview | 1048576 65535 vtrshm
gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-flash-lite-preview-09-2025 gemini-2.5-flash-preview-09-2025 gemini-2.5-pro | 1048576 65535 vtrshpmwc
gemini-live-2.5-flash-preview-native-audio-09-2025 | 1048576 65535 vtshopmw
gemini-2.5-pro-preview-tts | 1048576 65535 vtsowc
gemini-2.5-flash-native-audio-preview-09-2025 | 1048576 8192 ho
gemini-exp-1114 | 1048576 8192 vts
gemini-4-argon | 1048576 - vtrshpmwc
gemini-4-carbon | 1048576 - vtrshwc
gemini-4-neon | 1048576 - vtrsc
gemini-flash-experimental | 1000000 - e
gemma-4-26b-a4b-it gemma-4-31b-it | 262144 32768 vtrs
gemini-3.5-transcribe-live | 131072 65536 h
gemini-3.5-live-translate-preview | 131072 65536 ho
lyria-3.5 | 131072 65536 o
gemini-omni-flash-preview | 131072 65536 vrhm
gemini-live-2.5-flash-native-audio | 131072 65536 vthomw
gemini-robotics-er-2-streaming-preview | 131072 65536 vtrhmw
gemini-3.1-flash-live-preview gemini-3.8-live gemini-3.8-live-extended-thinking | 131072 65536 vtrhomw
gemini-robotics-er-2-preview | 131072 65536 vtrshpmwc
gemini-nano-banana-2.1 | 131072 32768 vrpmiwc
nano-banana-pro-preview | 131072 32768 vsiwc
gemini-2.5-flash-native-audio-latest | 131072 8192 ho
lyria-3-clip-preview lyria-3-pro-preview lyria-3.5-clip-preview lyria-3.5-pro-preview | 131072 8192 o
gemini-2.5-flash-native-audio-preview-12-2025 | 131072 8192 vtrhow
gemma-3-27b-it | 131072 8192 vts
gemini-2.5-computer-use-preview-10-2025 | 128000 64000 vt
gemini-3.5-transcribe | 98304 32768 h
gemini-3-pro-image | 65536 32768 vrsiwc
gemini-3.1-flash-image | 65536 32768 vrspiwc
deep-research-pro-preview-12-2025 | 65536 32768 vshpmiwc
gemini-3-pro-image-preview gemini-3.1-flash-image-preview | 65536 32768 vsiwc
gemini-3.1-flash-lite-image | 65536 4096 vrpmic
medlm-medium | 32768 8192 -
gemini-2.0-flash-exp-image-generation | 32768 - vi
gemini-2.5-flash-image | 32768 - vtshpmic
learnlm-1.5-pro-experimental | 32767 8192 vts
gemini-2.5-flash-preview-tts gemini-3.1-flash-tts-preview | 8192 16384 o
gemini-3.8-flash-lite-tts gemini-3.8-flash-tts | 8192 16384 oc
medlm-large | 8192 1024 -
text-embedding-large-exp-03-07 | 8192 - e
gemini-embedding-2 gemini-embedding-2-preview | 8192 - vhe
gemini-gemma-2-27b-it gemini-gemma-2-9b-it | 8192 - vt
text-embedding-preview-0409 | 3072 - e
gemini-embedding-001 text-embedding-004 text-embedding-005 text-multilingual-embedding-002 | 2048 - e
multimodalembedding | 2048 - vme
veo-2.0-generate-001 veo-3.0-fast-generate-001 veo-3.0-generate-001 veo-3.1-lite-generate-001 | 1024 - vy
veo-3.1-fast-generate-001 veo-3.1-fast-generate-preview veo-3.1-generate-001 veo-3.1-generate-preview veo-3.1-lite-generate-preview | 1024 - y
imagen-3.0-fast-generate-001 imagen-3.0-generate-001 | - - i
`;

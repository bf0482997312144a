/** Alibaba's, ByteDance's, DeepSeek's, MiniMax', Moonshot's and Zhipu's models. Form and source: index.ts. */
export const china = `
alibaba:
qwen-coder qwen-turbo-2025-04-28 qwen-turbo-latest | 1000000 16384 tr
qwen-turbo-2024-11-01 | 1000000 8192 tr
qwen3-coder-flash qwen3-coder-flash-2025-07-28 qwen3-coder-plus qwen3-coder-plus-2025-07-22 | 997952 65536 tr
qwen-flash qwen-flash-2025-07-28 qwen-plus-2025-07-28 qwen-plus-2025-09-11 qwen-plus-latest | 997952 32768 tr
qwen3.8-max | 991808 131072 vtrsc
qwen3.8-omni-flash | 991808 131072 vtrshmwc
qwen3.8-flash | 991808 131072 vtrsmwc
qwen3.7-max | 991808 65536 trsc
qwen3.5-plus | 991808 65536 vtr
qwen3.7-plus | 991808 65536 vtrsc
qwen3-next-80b-a3b-instruct | 262144 65536 t
qwen3-next-80b-a3b-thinking | 262144 65536 tr
qwen3-vl-plus | 260096 32768 vtr
qwen3-max qwen3-max-2026-01-23 qwen3-max-preview | 258048 65536 tr
qwen3-vl-235b-a22b-instruct qwen3-vl-32b-instruct | 131072 32768 vt
qwen3-vl-235b-a22b-thinking qwen3-vl-32b-thinking | 131072 32768 vtr
qwen-plus qwen-plus-2025-04-28 qwen-plus-2025-07-14 qwen-turbo qwen3-30b-a3b | 129024 16384 tr
qwen-plus-2025-01-25 | 129024 8192 tr
qwq-plus | 98304 8192 tr
qwen-max | 30720 8192 tr
wan2.7-t2v | - - hy
qwen-image-2.0 qwen-image-2.0-pro qwen-image-3.0 qwen-image-3.0-pro | - - i
qwen-audio-3.0-tts-flash qwen-audio-3.0-tts-plus qwen-audio-3.1-tts-flash qwen-audio-3.1-tts-plus qwen3-tts-flash | - - o
wan2.7-i2v wan2.7-r2v wan3.0-video wan3.0-video-prime | - - vhmy
bytedance:
doubao-seed-2-1-pro-260915 | 1024000 256000 vtrc
doubao-seed-2-1-lite-260915 | 1024000 256000 vtrhc
doubao-seed-2-0-code-preview-260215 doubao-seed-2-0-lite-260215 doubao-seed-2-0-mini-260215 doubao-seed-2-0-pro-260215 | 256000 128000 vtr
doubao-seed-2-1-pro-260628 doubao-seed-2-1-turbo-260628 | 256000 - vtrc
doubao-embedding doubao-embedding-large doubao-embedding-large-text-240915 doubao-embedding-large-text-250515 doubao-embedding-text-240715 | 4096 - e
doubao-seedance-2-0-260128 doubao-seedance-2-0-fast-260128 doubao-seedance-2-5-260628 | - - vhmy
doubao-seedance-2-0-mini-260615 | - - vy
deepseek:
deepseek-v4-pro | 1000000 393216 trsc
deepseek-flash deepseek-v4-flash deepseek-v4-flash-vision-exp | 1000000 393216 vtrsc
deepseek-v3.2 | 163840 - trc
deepseek-reasoner | 131072 65536 rsc
deepseek-chat | 131072 8192 tsc
deepseek-coder | 128000 4096 tc
deepseek-v3 | 65536 8192 tc
deepseek-r1 | 65536 8192 trc
minimax:
MiniMax-M3 | 1000000 128000 vtrc
MiniMax-M2.1 MiniMax-M2.1-lightning MiniMax-M2.5 MiniMax-M2.5-lightning | 1000000 8192 trc
MiniMax-M2 | 200000 8192 trc
speech-02-hd speech-02-turbo speech-2.6-hd speech-2.6-turbo | - - o
MiniMax-H3 MiniMax-H3-Max | - - vhy
moonshotai:
kimi-k3.1-pro | 1048576 - vtrsc
kimi-k3 | 1048576 - vtrsmc
kimi-k2.5 kimi-k2.6 | 262144 - vtrsm
kimi-k2.7-code | 262144 - vtrsmc
moonshot-v1-128k moonshot-v1-auto | 131072 - ts
moonshot-v1-128k-vision-preview | 131072 - vts
moonshot-v1-32k | 32768 - ts
moonshot-v1-32k-vision-preview | 32768 - vts
moonshot-v1-8k | 8192 - ts
moonshot-v1-8k-vision-preview | 8192 - vts
zhipuai:
glm-5.3-flash | 1048576 128000 vtrsc
glm-5.2 | 1000000 128000 trc
glm-5.3 | 1000000 128000 trsc
glm-4.6 glm-4.7 glm-4.7-flash glm-5 glm-5-code glm-5.1 | 200000 128000 trc
glm-5v-turbo | 200000 128000 vtrc
glm-4-32b-0414-128k glm-4.5 glm-4.5-air glm-4.5-airx glm-4.5-flash glm-4.5-x | 128000 32000 t
glm-4.5v | 128000 32000 vt
`;

/** OpenAI's models (developers.openai.com/api/docs/models). Form and source: index.ts. */
export const openai = `
openai:
gpt-5.4-pro gpt-5.4-pro-2026-03-05 gpt-5.5-pro gpt-5.5-pro-2026-04-23 | 1050000 128000 vtrpwc
gpt-5.4 gpt-5.4-2026-03-05 | 1050000 128000 vtrspc
gpt-5.5 gpt-5.5-2026-04-23 | 1050000 128000 vtrspwc
gpt-4.1-nano gpt-4.1-nano-2025-04-14 | 1047576 32768 vtspc
gpt-4.1 gpt-4.1-2025-04-14 gpt-4.1-mini gpt-4.1-mini-2025-04-14 | 1047576 32768 vtspwc
daybreak-blue-latest gpt-5.6 gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-astra-law gpt-6-luna gpt-6-rosalind gpt-6-sol gpt-6.1-sol gpt-6.1-terra gpt-daybreak-blue-latest | 922000 128000 vtrspwc
gpt-6.2-astra gpt-6.2-sol | 922000 128000 vtrsc
gpt-5-pro gpt-5-pro-2025-10-06 | 400000 272000 vtrspwc
gpt-5.1-codex-mini | 400000 128000 vtrspc
chat-latest daybreak-red-latest gpt-5.1-codex gpt-5.1-codex-max gpt-5.6-cyber gpt-daybreak-red-latest | 400000 128000 vtrspwc
gpt-5.1 gpt-5.1-2025-11-13 gpt-5.2 gpt-5.2-2025-12-11 | 272000 128000 vtrspiwc
gpt-5 gpt-5-2025-08-07 gpt-5-codex gpt-5-mini gpt-5-mini-2025-08-07 gpt-5-nano gpt-5-nano-2025-08-07 gpt-5.2-codex gpt-5.2-pro gpt-5.2-pro-2025-12-11 gpt-5.3-codex gpt-5.4-mini gpt-5.4-mini-2026-03-17 gpt-5.4-nano gpt-5.4-nano-2026-03-17 | 272000 128000 vtrspwc
gpt-5-search-api gpt-5-search-api-2025-10-14 | 272000 128000 vtspwc
o3-mini o3-mini-2025-01-31 | 200000 100000 trsc
o3-deep-research o3-deep-research-2025-06-26 o4-mini-deep-research o4-mini-deep-research-2025-06-26 | 200000 100000 vrpc
o1 o1-2024-12-17 o1-pro o1-pro-2025-03-19 | 200000 100000 vtrspc
o3 o3-2025-04-16 o3-pro o3-pro-2025-06-10 o4-mini o4-mini-2025-04-16 | 200000 100000 vtrspwc
gpt-realtime-2 gpt-realtime-2.1 gpt-realtime-2.1-mini | 128000 32000 vtho
gpt-4o-audio-preview-2024-12-17 gpt-4o-audio-preview-2025-06-03 gpt-4o-mini-audio-preview-2024-12-17 gpt-audio gpt-audio-1.5 gpt-audio-2025-08-28 gpt-audio-mini gpt-audio-mini-2025-10-06 gpt-audio-mini-2025-12-15 | 128000 16384 tho
gpt-5-chat | 128000 16384 vrspc
gpt-5-chat-latest gpt-5.1-chat-latest gpt-5.2-chat-latest gpt-5.3-chat-latest | 128000 16384 vtrsp
gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini gpt-4o-mini-2024-07-18 | 128000 16384 vtspc
gpt-4o-mini-search-preview gpt-4o-mini-search-preview-2025-03-11 gpt-4o-search-preview gpt-4o-search-preview-2025-03-11 | 128000 16384 vtspwc
gpt-4-1106-preview | 128000 4096 tc
gpt-4o-mini-realtime-preview-2024-12-17 | 128000 4096 tho
gpt-realtime-mini-2025-12-15 | 128000 4096 vtho
gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4o-2024-05-13 | 128000 4096 vtpc
gpt-realtime gpt-realtime-1.5 gpt-realtime-2025-08-28 gpt-realtime-mini | 32000 4096 vtho
gpt-3.5-turbo-16k | 16385 4096 c
gpt-3.5-turbo gpt-3.5-turbo-0125 gpt-3.5-turbo-1106 | 16385 4096 tc
gpt-4o-mini-transcribe gpt-4o-mini-transcribe-2025-03-20 gpt-4o-mini-transcribe-2025-12-15 gpt-4o-transcribe gpt-4o-transcribe-diarize | 16000 2000 h
gpt-realtime-translate | 16000 2000 ho
gpt-4 gpt-4-0613 | 8192 4096 tc
computer-use-preview computer-use-preview-2025-03-11 | 8192 1024 vtrp
text-embedding-3-large text-embedding-3-small text-embedding-ada-002 text-embedding-ada-002-v2 | 8191 - e
gpt-live-transcribe gpt-realtime-whisper gpt-transcribe whisper-1 | - - h
gpt-4o-mini-tts gpt-4o-mini-tts-2025-03-20 gpt-4o-mini-tts-2025-12-15 | - - ho
chatgpt-image-latest gpt-image-1 gpt-image-1-mini | - - i
tts-1 tts-1-1106 tts-1-hd tts-1-hd-1106 | - - o
gpt-5.5-cyber gpt-5.5-cyber-preview | - - r
gpt-live-1 | - - tho
gpt-image-1.5 gpt-image-1.5-2025-12-16 gpt-image-2 gpt-image-2-2026-04-21 gpt-image-2.5-flare gpt-image-2.5-flare-2026-09-08 gpt-image-2.5-sunburst gpt-image-2.5-sunburst-2026-09-08 | - - vpi
sora-2 sora-2-pro sora-2-pro-high-res | - - vy
`;

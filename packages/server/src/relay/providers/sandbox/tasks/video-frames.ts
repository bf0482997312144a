/** Width and height of the frames. */
export const frameSize = { width: 160, height: 90 } as const;

/** A ball that flies over a meadow: eight whole pictures in VP8, as base64. */
const pictures: readonly (readonly string[])[] = [
  [
    'MAoAnQEqoABaAD8RiLdXrCoko6PZKYGAIgllbuFz8M48wA5cRph3K5kOyJvi5fFatJN+1NqQZQwtSIZpumh15z//SXhZIkib',
    'xVD2lDtTpG50uL04ux9K90UAAP79Qj+qr26L+qcAM3qPbY7L/CQua8lQFomUYre5EppJYZjVFKMd3C/TcFM15tGAKMrnPSAq',
    'LCRMRmR+AeUSIrlQpVIvCmUARYOEQ5QQD5lFEDIu9tRH8ssiWNNtZhMp+gEhexkDaiLe573wdtnQTktf5ZJ3K6jCBkfgJdwH',
    '2t89cT+yGoAAAAAA',
  ],
  [
    'kAoAnQEqoABaAD8RiLhXrCmlI6PZKYGAIgljbt1e7OpZNbbcW2MEocaYdysZUldQ19RA8pnfLp/pLDM0yaZKc5UOso/R59kz',
    'v0Zao/JyRudLi7UP4MxIl1Ih2Q6AAP7m0t86sDomfF5WVI5LSWk7naSuNXC1/SKcZd1NXXeGjGDZanBMA/I68YAN+Pf3oot6',
    'X0nCRTnivTUnzRBZSsqReyktqMu9yOoMCTjoyJddnnYhx22DZrfL1bIc3Z2QO/j4SAsRjiiLTYxRxYL6SABTk8NXJ1/VwgUj',
    'OWAX0y/5wo8m6IDOLDGtx0gAAAAAAA==',
  ],
  [
    '8AoAnQEqoABaAD8RhrhXLCklI6RYCdmAIgljbt1e4uNbZgA0IsjKQMKqniEmnNkREN4mhWx9bUsKQ4cGzQd3MEk7xKnlV/Zo',
    'O7vD5BzMia06qPVWidVH3kWtst6rJc0AAP7nj/+7O0WmXv+kulx+YGdUYouf4d49gQuwbSXtoVcE3iFjjb9Bp17eeQjXLAL4',
    'MBqzMjBEWoqHkEucEd1bizdRqgP7cAb/GSjjufP40uQGmzHDULltpmrAmdSQtsZ8jejs8tScwA5QnSI+jK+odfjKd4DOPlp+',
    'DcEpx9PGmHlPgADCgFl/0K+QhzPtI+h2NxY4MvoQAAAAAA==',
  ],
  [
    'EAoAnQEqoABaAD8RiLpXrColo6PZKYGAIgljbt1e0mnAWvg5rgoS6aZenWD+sQN8uhxSAosibNUGS860ADhL56rGf0w7lbG8',
    'VUVpQ7U6RudLi9OHcrY+FMAA/ujZ/+Ls1s1YX1LyejEm+iUmckAHHfBcib/db2MG+URrrqcumelGCl40dn1eK44Zrte+Gb8f',
    '3zB6qYQj3ljslv7AIH6u5hCAe/C+w/LCxKf7ZHD4hrZYiHtylMMtc4lWXe5P7YFlXC9PFTvuo/KHpvVPv2xVEPxzvvCjYrmf',
    'Qqni0tVzgXfVkJ5Yd5x0DR6RmbJtp0orz0wAEnF270hzPn/4t5BAIaLXa1SQgAAA',
  ],
  [
    '0AoAnQEqoABaAD8RiLtXLCmmI6PbaYGAIgljbt1eMtATwAAliGhEMyU5/DbKQBmZHKu55jfLRLxPjkOU+DV3TeqXUPBPcCQS',
    'J8PP8PW81jnUAXJQ7U6R1pi8liLGSmAA/upnv/amhc0juViO6Ro/+5gj8h/CZ99v37NXz/z8HIATQGx+QcSNQYKc7Q/Px/ew',
    'rLjbkukEYtoRzKCj2JIQomcxZhB21NB5ARZf4mx9dyZvkLQRtac4FpBX1jmJtjOmLj6x04TaXhawuNJdwhR97uwc5Va/eFGx',
    'BZ+RiLVUAzxtJjblyTmGDXw2wcvJNXXb+fwqZMYKqjlJuwAAI5csZP/7jwQ+ABVZZ9QZPkY1gNcmAO6tIAA=',
  ],
  [
    'MAoAnQEqoABaAD8RiLlXLCqlo6RZ+YmAIgljbt1eJEAACsQMFmOBH45Bkcznwn49gJZGIYVed1Bw5QMhQ2UW6BqLBPwp8gwy',
    '0Jk6ITJ0QmTovr29QE9vNGGAAP7nj//tT97PnqXeHysOJO3PGkw558Uk0BrlEN/7fWxK4uTP84b8K7Idt0YW9Xtk6KFxQvbh',
    'AF7+PmaRiogdn1zjpCl2vLmH7+5NJ2TP1sZkHzoHYRR2L2SaBkLutXDQmyxFx9U6t8X15jk8Wvt9jKaj/wGPBP69YZlTLFlu',
    'QN7qxvYL6c59+/tnboMhwg9EaK/lEAAZWv/uD9NtvGBIIMlcpG4AXsGmlkteAAAA',
  ],
  [
    '0AkAnQEqoABaAD8RiL5WrCkmo6PZKYGAIgljbt1d6YZbTfLqG5Wxu8d/M2WSNBAh4hG3K18JiIs6ctMYL+MslOm+Xh6v+axz',
    'qALkodqdI68j/q0Fk1wAAP7eGj/FDzW9g7gYtsecBHBxAfGsAaW53QUa7OM6gwiILogw+FaZi0ETSnTCt1h4edvEfC2r698I',
    'j7U16S37/t+yFdtWpAQrZlvmEW6JSJ4B1ei3MXOlCNzeo4C/Phdfa8qBkACDH+VP9dl2o8z9q6hGAAQ2SX0Wv/i33/fqrME6',
    '4CnqJH65jXadt8TGqcpT2LPIAAA=',
  ],
  [
    'UAoAnQEqoABaAD8RiLxWrCmmI6eUmImAIgljbt1e8SZ621zkA3AfqZVBaBKhuyqC0CUd7BdExbqub+GZXB+0iSuQWnDZI7ih',
    'BVf2icwJclryEm34ewe4o8/iAAD+rm+6HtqvH0YWu8wlFQ0+sQnBJuOBfMFBpBgQDuXZnz6fkz2r4rDoJAX3jSFNXFH5pKP+',
    'zHgsWwxvkIZsjheDszqX8bVVnNUiAw7Uo7g2wwABEHsyiyudgQ5EIEWnR9w5krKSHX6XYFKvF0+OcDTpvf3pHviCd8rADuUL',
    'JDMAAAAA',
  ],
];

/** The pictures as bytes. */
export const frames: readonly Buffer[] = pictures.map((parts) => Buffer.from(parts.join(''), 'base64'));

/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers as lists of bytes, after the RFCs named in frame/frame.h. */
#ifndef TEST_FRAME_LAYOUT_H
#define TEST_FRAME_LAYOUT_H

#define BE16(value) (value) >> 8, (value)&0xff
#define MACS 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1
#define ETHERNET(type) MACS, BE16(type)
#define TAG(type) BE16(7), BE16(type)
/* From 192.0.2.1 to 192.0.2.10, identification 1234, time to live 64. */
#define IPV4_FULL(first, total, fragment, protocol, sum) \
	first, 0, BE16(total), 0x12, 0x34, BE16(fragment), 64, protocol, BE16(sum), 192, 0, 2, 1, \
		192, 0, 2, 10
#define IPV4(total) IPV4_FULL(0x45, total, 0x4000, 17, 0)
/* From 2001:db8::1 to 2001:db8::10, hop limit 64. */
#define IPV6(size, next) \
	0x60, 0, 0, 0, BE16(size), next, 64, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		1, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10
#define UDP(size, sum) BE16(40000), BE16(8125), BE16(size), BE16(sum)
#define TEXT 'a', ':', '1', '|', 'c' /* 5 bytes */

#define HOP_BY_HOP(next) next, 0, 5, 2, 0, 0, 1, 0 /* router alert, PadN */
#define DESTINATION(next) next, 0, 1, 4, 0, 0, 0, 0 /* PadN */
#define ROUTING(next, left) next, 0, 4, left, 0, 0, 0, 0
#define FRAGMENT(next, offset_and_m) next, 0, BE16(offset_and_m), 0, 0, 0xab, 0xcd
#define AH(next) next, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1 /* (1 + 2) * 4 bytes */

#endif

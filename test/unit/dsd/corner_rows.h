/* SPDX-License-Identifier: BSD-3-Clause */
/* Corners of the grammar, read from the Agent's source. Same notation as decode_rows.h. */
/* clang-format off */

/* The first check that fails names the reason. */
ROW(301, "a:x|k", "reject bad_type")
ROW(302, "a:x|c|@9", "reject bad_value")
ROW(303, "a:1|c|@9|T0", "reject bad_rate")
ROW(304, "a:1|c|T0|@9", "reject bad_timestamp")
ROW(305, "a:nan|h|T5", "reject nan_or_inf")
ROW(306, "a:nan|h|T5|@9", "reject bad_rate")
ROW(307, "a:1|c|@9|@1", "reject bad_rate")
ROW(308, ":|k", "reject empty_name")
ROW(309, "|", "reject no_colon")
ROW(310, "a:1|", "reject bad_type")

/* Rates. */
ROW(311, "a:1|g|@0", "reject bad_rate")
ROW(312, "a:1|s|@1.5", "reject bad_rate")
ROW(313, "a:1|ms|@nan", "reject bad_rate")
ROW(314, "a:1|h|@inf", "reject bad_rate")
ROW(315, "a:1|c|@1e-400", "reject bad_rate")
ROW(316, "a:1|c|@1.0", "c a 1")
ROW(317, "a:1|c|@0x1p-1", "c a 1 @0.5")

/* Timestamps. */
ROW(318, "a:1|c|T+5", "c a 1 T5")
ROW(319, "a:1|c|T1_0", "reject bad_timestamp")
ROW(320, "a:1|c|T9223372036854775807", "c a 1 T9223372036854775807")
ROW(321, "a:1|c|T9223372036854775808", "reject bad_timestamp")
ROW(322, "a:1|c|T1|T2", "c a 1 T2")
ROW(323, "a:1|c|Tag", "reject bad_timestamp")
ROW(324, "a:1|d|T5", "reject unsupported_timestamp")
ROW(325, "a:1|ms|T5", "reject unsupported_timestamp")
ROW(326, "a:1|d|Tx", "reject bad_timestamp")

/* Tags: the last field counts, also when it is empty. */
ROW(327, "a:1|c|#x|#", "c a 1")
ROW(328, "a:1|c|#b,a,c,a", "c a 1 #a,b,c")
ROW(329, "a:1|c|#host:a,host:", "c a 1 host=")
ROW(330, "a:1|c|#dd.internal.card:low,dd.internal.card:high,a",
	"c a 1 #a,dd.internal.card:high cardtag=low")
ROW_O(331, "a:1|c|#dd.internal.card:low|card:", "c a 1 cardtag=low")

/* Lines. */
ROW(332, "a:1|c\r", "c a 1")
ROW(333, "a:1|c\r\r\n", "reject bad_type")
ROW(334, "\r\n\r\n\n\r", "")
ROW(335, "a:1|c\nb:2|c\n", "c a 1; c b 2")
ROW(336, "a\rb:1|c", "c a\rb 1")

/* Events. */
ROW(337, "_e{", "reject bad_event")
ROW(338, "_e{1,1}", "reject bad_event")
ROW(339, "_e{1,}:a|", "reject bad_event")
ROW(340, "_e{11}:a|b", "reject bad_event")
ROW(341, "_e{1,1}:a", "reject bad_event")
ROW(342, "_e{1,1}:a|", "reject bad_event")
ROW(343, "_e{1,0}:a", "reject bad_event")
ROW(344, "_e{+1,01}:a|b", "event a/b")
ROW(345, "_e{1,1X:a|b", "event a/b")
ROW(346, "_e{1,-1}:a|b", "reject bad_event")
ROW(347, "_e{9223372036854775807,9223372036854775807}:a|b", "reject bad_event")
ROW(348, "_e{1,9223372036854775807}:a|b", "reject bad_event")
ROW(349, "_e{18446744073709551615,1}:a|b", "reject bad_event")
ROW(350, "_e{1,1}:a|bjunk|k:x", "event a/b k:x")
ROW(351, "_e{1,1}:a|b?k:x", "event a/b k:x")
ROW(352, "_e{1,1}:a|b|", "event a/b")
ROW(353, "_e{1,1}:a|b||x|k:", "event a/b")
ROW(354, "_e{1,1}:a|b|h:", "event a/b h:")
ROW(355, "_e{1,1}:a|b|p:low|p:urgent|t:success|t:bad|d:5|d:x", "event a/b d:5 p:1 t:3")
ROW(356, "_e{1,1}:a|b|p:low|p:normal|t:warning|t:info", "event a/b")
ROW(357, "_e{1,1}:a|b|d:-5|#host:h,x|m:no|T5|@9", "event a/b d:-5 #x host=h")
ROW_O(358, "_e{1,1}:a|b|c:ci-x|e:y|card:low", "event a/b c:ci-x e:y card:low")
ROW(359, "_e{1,1}:a|b|c:ci-x|e:y|card:low", "event a/b")
ROW(360, "_e{2,3}:\xff\xc3|\\n\x80", "event \xef\xbf\xbd\xef\xbf\xbd/\n\xef\xbf\xbd")
ROW(361, "_e{4,5}:t\\nx|\\\\n\\\\", "event t\nx/\\\n\\\\")
ROW(362, "_e {1,1}:a|b", "reject bad_type")
ROW(363, "_e{a:1|c", "reject bad_event")

/* Service checks. */
ROW(364, "_sc", "reject no_pipe")
ROW(365, "_sc|", "reject bad_service_check")
ROW(366, "_sc|a|", "reject bad_service_check")
ROW(367, "_sc|a|3", "check a 3")
ROW(368, "_sc|a|-", "reject bad_service_check")
ROW(369, "_sc|a|0|m:x|m:y|h:|T5|@9", "check a 0 h: m:y")
ROW(370, "_sc|a|0|d:5|d:x|#host:h", "check a 0 d:5 host=h")
ROW_O(371, "_sc|a|0|c:ci-x|e:y|card:low", "check a 0 c:ci-x e:y card:low")
ROW(372, "_sc:1|c", "c _sc 1")

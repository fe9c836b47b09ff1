/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Concrete inputs and what the Datadog Agent makes of them, read from its source
 * (comp/dogstatsd/server/parse*.go and enrich.go); "ours" marks the few rows where this decoder
 * differs on purpose (see dsd/decode.h). Results are in the notation of test_decode.c.
 *
 * ROW(number, payload, result) with default options; ROW_O where client origin is on.
 */
/* clang-format off */

/* Values and types. */
ROW(1, "q.depth:12|g", "g q.depth 12")
ROW(2, "q.depth:12:13|g", "g q.depth 12,13")
ROW(3, "hits:3|c", "c hits 3")
ROW(4, "hits:1:2:3|c", "c hits 1,2,3")
ROW(5, "hits:2|c|@0.5", "c hits 2 @0.5")
ROW(6, "lat:7.5|ms", "ms lat 7.5")
ROW(7, "lat:7:8|ms|@0.1", "ms lat 7,8 @0.1")
ROW(8, "lat:7|h", "h lat 7")
ROW(9, "size:3.5:4|d", "d size 3.5,4")
ROW(10, "uid:abc|s", "s uid abc")
ROW(11, "uid:a:b:c|s", "s uid a:b:c")
ROW(12, "uid:1:2|s|@0.5", "s uid 1:2 @0.5")
ROW(13, "uid:NaN|s", "s uid NaN")
ROW(14, "uid:|s", "reject empty_value")
ROW(15, "uid:\xff\xfe|s", "s uid \xff\xfe")
ROW(16, "uid:♫é|s", "s uid ♫é")

/* Shape of the line. */
ROW(17, "a:1", "reject no_pipe")
ROW(18, "a:1|", "reject bad_type")
ROW(19, "a|c", "reject no_colon")
ROW(20, ":1|c", "reject empty_name")
ROW(21, "a:|c", "reject empty_value")
ROW(22, "a1|c", "reject no_colon")
ROW(23, "a:x|c", "reject bad_value")
ROW(24, "a:1|k", "reject bad_type")
ROW(25, "a:1|C", "reject bad_type")
ROW(26, "a:1|m", "reject bad_type")
ROW(27, "a:1|gauge", "reject bad_type")
ROW(28, "a:1|c|", "c a 1")
ROW(29, "a:1|c||", "c a 1")
ROW(30, "a:1|c||#x:y", "c a 1 #x:y")

/* Tags. Ours: empty ones are dropped; order is the canonical one. */
ROW(31, "a:1|c|#", "c a 1")
ROW(32, "a:1|c|#x:y,z", "c a 1 #x:y,z")
ROW(33, "a:1|c|#x,,y", "c a 1 #x,y")
ROW(34, "a:1|c|#x,", "c a 1 #x")
ROW(35, "a:1|c|#,", "c a 1")
ROW(36, "a:1|c|#x,x", "c a 1 #x")
ROW(37, "a:1|c|#x:1|#y:2", "c a 1 #y:2")
ROW(38, "a:1|c|#host:h9,x", "c a 1 #x host=h9")
ROW(39, "a:1|c|#host:", "c a 1 host=")
ROW(40, "a:1|c|#host:a,host:b", "c a 1 host=b")
ROW(41, "a:1|c|#dd.internal.entity_id:u1", "c a 1 entity=u1")
ROW(42, "a:1|c|#dd.internal.entity_id:none", "c a 1 entity=none")
ROW(43, "a:1|c|#dd.internal.card:high", "c a 1 cardtag=high")
ROW_O(44, "a:1|c|card:low|#dd.internal.card:high", "c a 1 card:low #dd.internal.card:high")
ROW(45, "a:1|c|#dd.internal.jmx_check_name:kafka", "c a 1 jmx=kafka")

/* Rates. Ours: outside (0, 1] rejects. */
ROW(46, "a:1|c|@0", "reject bad_rate")
ROW(47, "a:1|d|@0", "reject bad_rate")
ROW(48, "a:1|c|@2", "reject bad_rate")
ROW(49, "a:1|c|@-0.5", "reject bad_rate")
ROW(50, "a:1|c|@x", "reject bad_rate")
ROW(51, "a:1|c|@", "reject bad_rate")
ROW(52, "a:1|c|@0.5|@0.1", "c a 1 @0.1")
ROW(53, "a:1|g|@0.1", "g a 1 @0.1")

/* Numbers. Ours: a line without a finite value is rejected. */
ROW(54, "a:+4|g", "g a 4")
ROW(55, "a:-4|g", "g a -4")
ROW(56, "a:0x10p0|g", "g a 16")
ROW(57, "a:0x10|g", "reject bad_value")
ROW(58, "a:1_0|g", "g a 10")
ROW(59, "a:1e3|c", "c a 1000")
ROW(60, "a:1e999|c", "reject bad_value")
ROW(61, "a:nan|g", "reject nan_or_inf")
ROW(62, "a:nan:3|g", "g a nan,3")
ROW(63, "a:inf|d", "reject nan_or_inf")
ROW(64, "a: 1|g", "reject bad_value")
ROW(65, "a:1 |g", "reject bad_value")
ROW(66, "a:1::2|c", "c a 1,2")
ROW(67, "a::1|c", "c a 1")
ROW(68, "a:1:|c", "c a 1")
ROW(69, "a:::|c", "reject empty_value")
ROW(70, "a:1:x|c", "reject bad_value")

/* Timestamps. */
ROW(71, "a:5|g|T1700000000", "g a 5 T1700000000")
ROW(72, "a:5|c|@0.5|T1700000000", "c a 5 @0.5 T1700000000")
ROW(73, "a:5|h|T1700000000", "reject unsupported_timestamp")
ROW(74, "a:5|s|T1700000000", "reject unsupported_timestamp")
ROW(75, "a:5|g|T0", "reject bad_timestamp")
ROW(76, "a:5|g|T-3", "reject bad_timestamp")
ROW(77, "a:5|g|T1.5", "reject bad_timestamp")
ROW(78, "a:5|g|Tx", "reject bad_timestamp")
ROW(79, "a:5|g|T", "reject bad_timestamp")

/* Unknown and origin fields. What the origin texts say is read later; none rejects a line. */
ROW(80, "a:5|g|zz:1", "g a 5")
ROW(81, "a:5|g|m:hello", "g a 5")
ROW_O(82, "a:5|g|c:ci-abc1,in-77", "g a 5 c:ci-abc1,in-77")
ROW_O(83, "a:5|g|c:abc1", "g a 5 c:abc1")
ROW_O(84, "a:5|g|c:in-xx", "g a 5 c:in-xx")
ROW_O(85, "a:5|g|c:ab_1", "g a 5 c:ab_1")
ROW_O(86, "a:5|g|c:", "g a 5")
ROW_O(87, "a:5|g|e:it-false,cn-web,pu-1-2", "g a 5 e:it-false,cn-web,pu-1-2")
ROW_O(88, "a:5|g|e:cn-Web", "g a 5 e:cn-Web")
ROW_O(89, "a:5|g|card:HIGH", "g a 5 card:HIGH")
ROW_O(90, "a:5|g|card:zzz", "g a 5 card:zzz")

/* Text and lines. */
ROW(91, "naïve:1|c", "c naïve 1")
ROW(92, "a b:1|c", "c a b 1")
ROW(93, "a\tb:1|c", "c a\tb 1")
ROW(94, "a|b:1|c", "reject no_colon")
ROW(95, "a:1|c\r\n", "c a 1")
ROW(96, "\n\na:1|c", "c a 1")

/* Events. Ours: the separator between title and text is verified (101). */
ROW(97, "_e{3,2}:abc|de", "event abc/de")
ROW(98, "_e{3,0}:abc|", "event abc/")
ROW(99, "_e{0,2}:|de", "reject bad_event")
ROW(100, "_e{3,9}:abc|de", "reject bad_event")
ROW(101, "_e{3,2}:abcXde", "reject bad_event")
ROW(102, "_e{3,2}:a|c|de", "event a|c/de")
ROW(103, "_e{3,4}:abc|d\\ne", "event abc/d\ne")
ROW(104, "_e{3,2}:abc|de|d:x", "event abc/de")
ROW(105, "_e{3,2}:abc|de|k:a/b", "event abc/de k:a/b")
ROW(106, "_e{3,2}:abc|de|p:urgent|t:bad", "event abc/de")
ROW(107, "_e{3,2}:abc|de|p:low|t:error|h:h1|s:src|#x", "event abc/de h:h1 s:src p:1 t:1 #x")
ROW(108, "_e{-1,2}:abc", "reject bad_event")

/* Service checks. Ours: "_sc" without its '|' begins a metric (119). */
ROW(109, "_sc|db.up|0", "check db.up 0")
ROW(110, "_sc|db.up|4", "reject bad_service_check")
ROW(111, "_sc|db.up|00", "reject bad_service_check")
ROW(112, "_sc|db.up", "reject bad_service_check")
ROW(113, "_sc||0", "reject bad_service_check")
ROW(114, "_sc|db/up|1", "check db/up 1")
ROW(115, "_sc|db.up|2|d:9|h:h1|#x|m:down", "check db.up 2 d:9 h:h1 m:down #x")
ROW(116, "_sc|db.up|2|m:a|b", "check db.up 2 m:a")
ROW(117, "_sc|db.up|0|d:1|d:2", "check db.up 0 d:2")
ROW(118, "_sc|db.up|0|d:z", "check db.up 0")
ROW(119, "_scan.total:1|c|#x", "c _scan.total 1 #x")
ROW(120, "garbage", "reject no_pipe")

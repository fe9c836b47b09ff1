/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that broke other receivers in the field, with the issue that tells of it. Same notation as
 * decode_rows.h.
 */
/* clang-format off */

/* prometheus/statsd_exporter#572: padded and missing values; the next line must survive. */
ROW(201, "svc.cpu_idle:  0.11  -0.05  -0|h|#t:1\ngood:1|c", "reject bad_value; c good 1")
ROW(202, "a:1 2:3|h\ngood:1|c", "reject bad_value; c good 1")
ROW(203, ":|h\ngood:1|c", "reject empty_name; c good 1")
ROW(204, "a::|h\ngood:1|c", "reject empty_value; c good 1")

/* stripe/veneur#158: values that are not finite. */
ROW(205, "a:nan|g", "reject nan_or_inf")
ROW(206, "a:+Inf|h", "reject nan_or_inf")
ROW(207, "a:infinity|d", "reject nan_or_inf")
ROW(208, "a:-INF|c", "reject nan_or_inf")
ROW(209, "a:1:NaN:3|d", "d a 1,nan,3")
ROW(210, "a:-\xe2\x88\x9e|g", "reject bad_value")
ROW(211, "a:1e309|g", "reject bad_value")
ROW(212, "a:1e308:1e308|c", "c a 1e+308,1e+308")
ROW(213, "a:nan:inf:-inf|d", "reject nan_or_inf")

/* prometheus/statsd_exporter#748: origin without tags; the colon of c: packs no values. */
ROW(214, "k:1|c|c:0123abcd", "c k 1")
ROW_O(215, "k:1|c|c:0123abcd", "c k 1 c:0123abcd")
ROW_O(216, "k:1:2|h|@0.5|c:ci-0123abcd,in-4242", "h k 1,2 @0.5 c:ci-0123abcd,in-4242")
ROW_O(217, "k:1|c|T1700000000|c:0123abcd", "c k 1 T1700000000 c:0123abcd")
ROW_O(218, "c:1|c|c:c", "c c 1 c:c")

/* mozilla/fx-private-relay#3243, influxdata/telegraf#5434: unknown extensions. */
ROW(219, "r:5|ms|zz:future", "ms r 5")
ROW(220, "r:5|ms|#a:b|card:high|e:it-false,cn-web,pu-1|c:ci-x|q", "ms r 5 #a:b")
ROW_O(221, "r:5|ms|#a:b|card:high|e:it-false,cn-web,pu-1|c:ci-x|q",
	"ms r 5 c:ci-x e:it-false,cn-web,pu-1 card:high #a:b")

/* influxdata/telegraf#1794: colons in tag values. */
ROW(222, "m:1|c|#route:/:tenant?/oauth,url:http://h:80/x", "c m 1 #route:/:tenant?/oauth,url:http://h:80/x")

/* influxdata/telegraf#17480: checks are told apart before any metric rule. */
ROW(223, "_sc|db.can_connect|0", "check db.can_connect 0")
ROW(224, "_sc|db|4", "reject bad_service_check")
ROW(225, "_sc|db|0|m:it\\|broke", "check db 0 m:it\\")
ROW(226, "_sc|a|0|#x:y|m:text|h:late", "check a 0 h:late m:text #x:y")
ROW(227, "_sc_other:1|c", "c _sc_other 1")

/* DataDog/saluki#1030, #189: spellings of the origin; never a reason to reject. */
ROW_O(228, "a:1|c|c:cid-0123abcd", "c a 1 c:cid-0123abcd")
ROW_O(229, "a:1|c|c:in-", "c a 1 c:in-")
ROW_O(230, "a:1|c|e:garbage", "c a 1 e:garbage")
ROW_O(231, "a:1|c|c:a|c:b|e:x|e:y|card:low|card:high", "c a 1 c:b e:y card:high")

/* DataDog/saluki#1426: off means no effect at all. */
ROW(232, "a:1|c|card:low|#dd.internal.card:high", "c a 1 cardtag=high")

/* DataDog/lading#650: sets are never packed. */
ROW(233, "u:a:b:c|s\nu:a|s", "s u a:b:c; s u a")

/* DataDog/saluki#401: any name up to the first colon. */
ROW(234, "a/b-c d\x01\x7f\xff:1|c", "c a/b-c d\x01\x7f\xff 1")

/* DataDog/saluki#1974: strange numbers. */
ROW(235, "a:0x1p-2:1_000:.5:5.:-0:+5|g", "g a 0.25,1000,0.5,5,-0,5")
ROW(236, "a:\uff11|g", "reject bad_value")
ROW(237, "a:4.9406564584124654e-324|g", "g a 4.9406564584124654e-324")
ROW(238, "a:1,5|g", "reject bad_value")

/* prometheus/statsd_exporter#34: '#' before every tag; the second one is part of the tag. */
ROW(239, "m:1|c|#a:1,#b:2", "c m 1 ##b:2,a:1")

/* influxdata/telegraf#354: several metrics packed in one line are not DogStatsD. */
ROW(240, "t:1|ms:2|ms|@0.5:3|ms", "reject bad_type")

/* getsentry/relay: bad bytes in a tag. */
ROW(241, "m:1|c|#tag2:\xc3\x28,ok:1", "c m 1 #ok:1,tag2:\xef\xbf\xbd\x28")

#!/usr/bin/env python3
"""Writes a tiny random-weight model of the "llama" architecture as one GGUF v3 file.

Standard library only.  The model has no sense, but it is a real model to an inference server: it tokenises ordinary
English (about a token a word), runs attention over the whole prompt, and at temperature 0 always answers a given prompt
with the same words.

How the text is kept printable: embedding dimension 0 holds one constant for
every token and no layer writes to it, so after the last norm it acts as a bias
input; column 0 of the output matrix then raises whole words and lowers byte
tokens, word prefixes and control tokens.

  make_tiny_gguf.py OUT.gguf [--seed 1] [--ctx 131072] [--vocab 4096]
                    [--embd 128] [--layers 2] [--heads 4] [--kv-heads 2] [--ff 256]
                    [--eos-bias -9] [--degenerate] [--template chat|none]
"""
import argparse
import array
import math
import random
import struct
import sys

# GGUF metadata value types
T_U32, T_I32, T_F32, T_BOOL, T_STR, T_ARR = 4, 5, 6, 7, 8, 9
GGML_F32 = 0
ALIGN = 32
# tokenizer.ggml.token_type values
TOK_NORMAL, TOK_UNKNOWN, TOK_CONTROL, TOK_BYTE = 1, 2, 3, 6

SPACE = "\u2581"   # how SentencePiece vocabularies write a leading space

WORDS = """
a about above across act add after again against age ago air all also always am among an and animal another answer any
are area around as ask at away back base be because become been before began begin behind being below best better
between big black blue boat body book both box boy bring brown build built busy but by call came can car care carry
case cause center certain change check child city class clear close cloud code cold color come common complete cool
correct could count country course cover cross cry cut dark data day deep design did differ direct do does dog done door down
draw drive dry during each early earth ease east eat end engine enough error even ever every example eye face fact fall family far
farm fast father feel feet few field figure file fill final find fine fire first fish five fly follow food foot for
force form found four free friend from front full game gave get girl give go gold good got govern graph great green
ground group grow had half hand happen hard has have he head hear heard heat help her here high him his hold home horse
hot hour house how hundred idea if in inch interest into island is it just keep kind king knew know land language large last late
laugh lay lead learn leave left less let letter life light like line list listen little live long look love low
machine made main make man many map mark may mean measure memory men metric might mile mind minute miss model monitor money moon more morning
most mother mountain move much multiply music must my name near need never new next night no north not note nothing notice
noun now number object of off often oh old on once one only open or order other our out over own page paper part pass
pattern people perhaps person picture piece place plain plan plane plant play point port pose possible pound power
press probe problem produce product pull put question quick rain ran reach read ready real record red remember rest
right river road rock room round rule run said same saw say school science sea second see seem self sentence serve server set
several shape she ship short should show side simple since sing sit six size sleep slow small snow so some song soon
sound south space special spell stand star start state stay step still stop story street strong study such summary summarize sun sure surface
system table tail take talk teach tell ten test than that the their them then there these they thing think this those
though thought thousand three through time to together told token too took top toward town travel tree true try turn two under
unit until up us use usual verb very voice vowel wait walk want war warm was watch water way we week weight well went
were west what wheel when where which while white who whole why will wind with wonder wood word work world would write
year yes yet you young your
""".split()

TEMPLATES = {
    "chat": ("{% for m in messages %}{{ '<|' + m['role'] + '|>' + m['content'] + '<|end|>' }}{% endfor %}"
             "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"),
    "none": None,
}
CONTROLS = ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|tool|>"]


def build_vocab(size, rng):
    """Returns parallel lists: text, score, type, output bias."""
    toks, seen = [], set()

    def add(text, typ, score, bias):
        if text in seen or len(toks) >= size:
            return False
        seen.add(text)
        toks.append([text, score, typ, bias])
        return True

    add("<unk>", TOK_UNKNOWN, 0.0, -30.0)
    add("<s>", TOK_CONTROL, 0.0, -30.0)
    add("</s>", TOK_CONTROL, 0.0, None)          # bias set by --eos-bias
    for b in range(256):
        add("<0x%02X>" % b, TOK_BYTE, 0.0, -30.0)
    for c in CONTROLS:
        add(c, TOK_CONTROL, 0.0, -30.0)
    add(SPACE, TOK_NORMAL, -50.0, -30.0)
    for c in range(0x21, 0x7F):                  # single printable characters
        bias = 1.5 if chr(c) in ".," else -12.0
        add(chr(c), TOK_NORMAL, -60.0, bias)

    def add_word(w, bias=0.0):
        # Merging joins neighbouring pairs only, so each prefix must be a token too.
        piece = SPACE
        for i, ch in enumerate(w):
            piece += ch
            last = i == len(w) - 1
            if not add(piece, TOK_NORMAL, -1.0 - 0.01 * len(piece), bias if last else -12.0):
                if last and piece in seen:       # a prefix of an earlier word is itself a word
                    for t in toks:
                        if t[0] == piece:
                            t[3] = bias
                            break

    for w in WORDS:
        add_word(w)
    cons, vows = "bcdfghklmnprstvz", "aeiou"
    while len(toks) < size:                       # made-up words fill the rest
        w = "".join(rng.choice(cons) + rng.choice(vows) for _ in range(rng.choice((2, 2, 3))))
        add_word(w, -3.0)
    return toks


def gauss_array(n, sd, rng):
    g = rng.gauss
    return array.array("f", [g(0.0, sd) for _ in range(n)])


def put_str(s):
    b = s.encode("utf-8")
    return struct.pack("<Q", len(b)) + b


def kv(key, typ, value, elem=None):
    out = put_str(key) + struct.pack("<I", typ)
    if typ == T_STR:
        return out + put_str(value)
    if typ == T_ARR:
        out += struct.pack("<IQ", elem, len(value))
        if elem == T_STR:
            return out + b"".join(put_str(v) for v in value)
        return out + struct.pack("<%d%s" % (len(value), {T_F32: "f", T_I32: "i"}[elem]), *value)
    return out + struct.pack("<" + {T_U32: "I", T_I32: "i", T_F32: "f", T_BOOL: "?"}[typ], value)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--ctx", type=int, default=131072)
    ap.add_argument("--vocab", type=int, default=4096)
    ap.add_argument("--embd", type=int, default=128)
    ap.add_argument("--layers", type=int, default=2)
    ap.add_argument("--heads", type=int, default=4)
    ap.add_argument("--kv-heads", type=int, default=2)
    ap.add_argument("--ff", type=int, default=256)
    ap.add_argument("--eos-bias", type=float, default=-9.0,
                    help="logit of end-of-text relative to a word; -30: practically never")
    ap.add_argument("--degenerate", action="store_true",
                    help="one word outweighs every other: the model repeats it for ever")
    ap.add_argument("--template", choices=sorted(TEMPLATES), default="chat")
    ap.add_argument("--name", default="tiny-random-llama")
    a = ap.parse_args()
    if sys.byteorder != "little":
        sys.exit("little-endian machines only")

    rng = random.Random(a.seed)
    toks = build_vocab(a.vocab, rng)
    ids = {t[0]: i for i, t in enumerate(toks)}
    toks[ids["</s>"]][3] = a.eos_bias
    if a.degenerate:
        toks[ids[SPACE + "the"]][3] = 40.0
    V, D, F = len(toks), a.embd, a.ff
    hd = D // a.heads
    KV = hd * a.kv_heads
    C = 3.0                                       # the constant in dimension 0

    tensors = []                                  # (name, dims with the contiguous one first, data)
    emb = gauss_array(V * D, 1.0, rng)
    for t in range(V):
        emb[t * D] = C
    tensors.append(("token_embd.weight", (D, V), emb))

    def mat(n_in, n_out, gain, keep_row0=True):
        m = gauss_array(n_in * n_out, gain / math.sqrt(n_in), rng)
        if not keep_row0:                         # output 0 must stay untouched
            for i in range(n_in):
                m[i] = 0.0
        return (n_in, n_out), m

    ones = array.array("f", [1.0] * D)
    for l in range(a.layers):
        p = "blk.%d." % l
        tensors.append((p + "attn_norm.weight", (D,), ones))
        tensors.append((p + "attn_q.weight", *mat(D, D, 1.5)))
        tensors.append((p + "attn_k.weight", *mat(D, KV, 1.5)))
        tensors.append((p + "attn_v.weight", *mat(D, KV, 1.0)))
        tensors.append((p + "attn_output.weight", *mat(D, D, 1.0, False)))
        tensors.append((p + "ffn_norm.weight", (D,), ones))
        tensors.append((p + "ffn_gate.weight", *mat(D, F, 1.0)))
        tensors.append((p + "ffn_up.weight", *mat(D, F, 1.0)))
        tensors.append((p + "ffn_down.weight", *mat(F, D, 1.0, False)))
    tensors.append(("output_norm.weight", (D,), ones))
    out = gauss_array(V * D, 2.0 / math.sqrt(D), rng)
    h0 = 2.0                                      # about what dimension 0 is after the last norm
    for t in range(V):
        out[t * D] = toks[t][3] / h0
    tensors.append(("output.weight", (D, V), out))

    meta = [
        kv("general.architecture", T_STR, "llama"),
        kv("general.name", T_STR, a.name),
        kv("general.file_type", T_U32, 0),
        kv("general.alignment", T_U32, ALIGN),
        kv("llama.context_length", T_U32, a.ctx),
        kv("llama.embedding_length", T_U32, D),
        kv("llama.block_count", T_U32, a.layers),
        kv("llama.feed_forward_length", T_U32, F),
        kv("llama.attention.head_count", T_U32, a.heads),
        kv("llama.attention.head_count_kv", T_U32, a.kv_heads),
        kv("llama.attention.layer_norm_rms_epsilon", T_F32, 1e-5),
        kv("llama.rope.dimension_count", T_U32, hd),
        kv("llama.rope.freq_base", T_F32, 500000.0),
        kv("llama.vocab_size", T_U32, V),
        kv("tokenizer.ggml.model", T_STR, "llama"),
        kv("tokenizer.ggml.tokens", T_ARR, [t[0] for t in toks], T_STR),
        kv("tokenizer.ggml.scores", T_ARR, [t[1] for t in toks], T_F32),
        kv("tokenizer.ggml.token_type", T_ARR, [t[2] for t in toks], T_I32),
        kv("tokenizer.ggml.bos_token_id", T_U32, ids["<s>"]),
        kv("tokenizer.ggml.eos_token_id", T_U32, ids["</s>"]),
        kv("tokenizer.ggml.eot_token_id", T_U32, ids["<|end|>"]),
        kv("tokenizer.ggml.unknown_token_id", T_U32, ids["<unk>"]),
        kv("tokenizer.ggml.add_bos_token", T_BOOL, True),
        kv("tokenizer.ggml.add_eos_token", T_BOOL, False),
        kv("tokenizer.ggml.add_space_prefix", T_BOOL, True),
    ]
    if TEMPLATES[a.template]:
        meta.append(kv("tokenizer.chat_template", T_STR, TEMPLATES[a.template]))

    infos, off = [], 0
    for name, dims, data in tensors:
        infos.append(put_str(name) + struct.pack("<I%dQIQ" % len(dims), len(dims), *dims, GGML_F32, off))
        off += -(-len(data) * 4 // ALIGN) * ALIGN

    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(meta)) + b"".join(meta) + b"".join(infos)
    with open(a.out, "wb") as f:
        f.write(head)
        f.write(b"\0" * (-len(head) % ALIGN))
        for _, _, data in tensors:
            raw = data.tobytes()
            f.write(raw)
            f.write(b"\0" * (-len(raw) % ALIGN))
    n = sum(len(d) for _, _, d in tensors)
    print("%s: %d tokens, %d parameters, context %d" % (a.out, V, n, a.ctx))


main()

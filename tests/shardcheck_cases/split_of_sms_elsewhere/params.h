#pragma once
struct DecodeParams { int h_k; int parts; int rows; };
void run_decode(DecodeParams& params);

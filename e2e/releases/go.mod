module informerscope/releases

go 1.26.0
